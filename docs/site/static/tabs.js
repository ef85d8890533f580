// Remembers which tab a reader chose, on every page, and chooses the one that an address leads to.
(() => {
  const KEY = "docent-docs-tab";
  const radios = [...document.querySelectorAll(".tabs > input")];
  const name = (radio) => radio.labels[0].textContent;
  document.documentElement.dataset.tabs = "";

  const choose = (wanted) => {
    for (const radio of radios) if (name(radio) === wanted) radio.checked = true;
  };

  const follow = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const section = target && target.closest(".tabs > section");
    if (!section) return;
    document.getElementById("tab-" + section.id).checked = true;
    target.scrollIntoView();
  };

  for (const radio of radios) {
    radio.addEventListener("change", () => {
      const before = radio.parentElement.getBoundingClientRect().top;
      choose(name(radio));
      scrollBy(0, radio.parentElement.getBoundingClientRect().top - before); // tabs above may have become higher
      try {
        localStorage.setItem(KEY, name(radio));
      } catch {
        // a browser that stores nothing remembers nothing
      }
    });
  }
  try {
    choose(localStorage.getItem(KEY));
  } catch {
    // as above
  }
  follow();
  addEventListener("hashchange", follow);
})();
