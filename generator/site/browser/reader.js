// Reading config.json: texts in, shapes out.
const parsed = (text) => {
  try {
    return $json(text);
  } catch (error) {
    throw new $errors.UnsupportedArchitecture(`expected JSON, found ${error.message}`);
  }
};
TrainfitEngine.shape_of = (text) => shape_of(parsed(text));

// The same file with only the fields without which its shape would be another one.
TrainfitEngine.fields_read = (text) => {
  const shape = shape_of(parsed(text));
  const kept = JSON.parse(text);
  const same = () => {
    try {
      return $eq(shape_of(parsed(JSON.stringify(kept))), shape);
    } catch (error) {
      if (error instanceof $Refusal) return false;
      throw error;
    }
  };
  for (const part of [kept, kept.text_config]) {
    for (const [key, value] of Object.entries(part ?? {})) {
      delete part[key];
      if (!same()) part[key] = value;
    }
  }
  return JSON.stringify(kept);
};
