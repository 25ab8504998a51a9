"""The commands of `trainfit`, a module each: options, and a function from options to text."""
