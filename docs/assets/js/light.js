// The light pages: buttons that copy a link in the markup of wherever it goes, and buttons that copy and save files.
// Without them the text stands there to read.
(() => {
  "use strict";
  const list = document.querySelector("[data-copy]");
  if (!list) return;
  const { copy, copied, download, canonical } = list.dataset;
  const button = (word, what, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = word;
    made.setAttribute("aria-label", `${word}: ${what}`);
    made.addEventListener("click", () => act(made));
    return made;
  };
  const copying = (code, what) => button(copy, what, async (made) => {
    await navigator.clipboard.writeText(code.textContent);
    made.textContent = copied;
    setTimeout(() => { made.textContent = copy; }, 2000);
  });
  // Where the page really is, on an intranet for instance, is what a link from there should say.
  const here = location.origin + location.pathname;
  for (const code of list.querySelectorAll("dd > code")) {
    if (location.protocol.startsWith("http")) code.textContent = code.textContent.replaceAll(canonical, here);
    if (navigator.clipboard) code.after(copying(code, code.parentElement.previousElementSibling.textContent));
  }
  for (const block of document.querySelectorAll("pre[data-file]")) {
    const code = block.querySelector("code"), name = block.dataset.file;
    const bar = document.createElement("p");
    bar.className = "tf-light__buttons";
    if (navigator.clipboard) bar.append(copying(code, name || code.textContent));
    if (name) bar.append(button(download, name, () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([code.textContent], { type: "text/plain" }));
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }));
    block.after(bar);
  }
})();
