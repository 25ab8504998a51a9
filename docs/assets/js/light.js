// The light pages: buttons that copy a link in the markup of wherever it goes. Without them the markup stands there to read.
(() => {
  "use strict";
  const list = document.querySelector("[data-copy]");
  if (!list || !navigator.clipboard) return;
  // Where the page really is, on an intranet for instance, is what a link from there should say.
  const canonical = list.dataset.canonical;
  const here = location.origin + location.pathname;
  for (const code of list.querySelectorAll("dd > code")) {
    if (location.protocol.startsWith("http")) code.textContent = code.textContent.replaceAll(canonical, here);
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = list.dataset.copy;
    button.setAttribute("aria-label", `${list.dataset.copy}: ${code.parentElement.previousElementSibling.textContent}`);
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = list.dataset.copied;
      setTimeout(() => { button.textContent = list.dataset.copy; }, 2000);
    });
    code.after(button);
  }
})();
