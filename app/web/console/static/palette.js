/* Ctrl K, or Cmd K, or the link Search: anywhere by keyboard alone. What it finds are the menu's own links, the agents to
   pick from, and what the page Search finds; without a script that page is what the link leads to. */
"use strict";

(() => {
  const opener = document.querySelector("[data-find]");
  if (!opener) return;
  const WAIT_MS = 150; // until one has stopped typing
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
  let asking = null; // what is on its way from the server
  let timer = 0;
  let chosen = 0;

  const made = (tag, attributes, ...inside) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...inside);
    return element;
  };

  const field = made("input", {
    type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list",
    "aria-label": "Search pages, settings, actions, agents, conversations, gaps and sources", placeholder: "Search the console",
    autocomplete: "off", spellcheck: "false", dir: "auto",
  });
  const list = made("div", { id: "palette-list", role: "listbox", "aria-label": "Results" });
  const said = made("p", { class: "unseen", role: "status" });
  const dialog = made("dialog", { class: "palette", "aria-label": "Search the console" }, field, list, said);
  document.body.append(dialog);
  opener.append(made("kbd", {}, isMac ? "\u2318K" : "Ctrl K"));
  opener.setAttribute("aria-haspopup", "dialog");

  /* -- what is found -- */

  const spoken = (link) => (link.querySelector("span") ?? link).textContent.trim();
  const entries = (selector, note) => [...document.querySelectorAll(selector)].map((link) => ({ text: spoken(link), href: link.href, note }));
  const here = [...entries(".menu a", ""), ...entries(".picker ul a", "agent")];

  function fitting(words) {
    const at = (entry) => entry.text.toLowerCase().indexOf(words);
    return here.filter((entry) => at(entry) >= 0).sort((one, other) => Math.min(at(one), 1) - Math.min(at(other), 1));
  }

  function groupsOf(page) {
    const sections = [...page.querySelectorAll("[data-found]")].filter((each) => each.dataset.found !== "Console");
    return sections.map((section) => ({
      kind: section.dataset.found,
      items: [...section.querySelectorAll("a")].map((link) => ({
        text: link.textContent, href: link.getAttribute("href"), note: link.nextElementSibling?.textContent ?? "",
      })),
    }));
  }

  async function ask(words) {
    asking?.abort();
    asking = new AbortController();
    const address = new URL(opener.href);
    address.searchParams.set("q", words);
    try {
      const answer = await fetch(address, { signal: asking.signal });
      if (answer.redirected) return location.assign(answer.url); // signed out meanwhile
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      show([{ kind: "Console", items: fitting(words.toLowerCase()) }, ...groupsOf(page)], true);
    } catch (error) {
      if (error.name !== "AbortError") said.textContent = "Search is unavailable. Try again.";
    }
  }

  /* -- what is shown -- */

  function show(groups, isAll) {
    const options = [];
    list.replaceChildren(...groups.filter((group) => group.items.length).map((group, number) => {
      const title = made("div", { class: "palette-kind", id: `palette-kind-${number}` }, group.kind);
      const links = group.items.map((item) => {
        const link = made("a", { role: "option", id: `palette-${options.length}`, href: item.href, tabindex: "-1", "aria-selected": "false" },
          made("span", { dir: "auto" }, item.text), ...(item.note ? [made("span", { class: "soft small" }, item.note)] : []));
        options.push(link);
        return link;
      });
      return made("div", { role: "group", "aria-labelledby": title.id }, title, ...links);
    }));
    choose(0);
    if (isAll) said.textContent = options.length === 1 ? "1 result" : `${options.length} results`;
    list.classList.toggle("none", isAll && !options.length);
  }

  function choose(number) {
    const options = list.querySelectorAll('[role="option"]');
    for (const each of list.querySelectorAll('[aria-selected="true"]')) each.setAttribute("aria-selected", "false");
    chosen = options.length ? (number + options.length) % options.length : 0;
    const option = options[chosen];
    if (!option) return field.removeAttribute("aria-activedescendant");
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", option.id);
  }

  function look() {
    const words = field.value.trim();
    clearTimeout(timer);
    asking?.abort();
    show([{ kind: "Console", items: fitting(words.toLowerCase()) }], !words);
    if (words) timer = setTimeout(() => ask(words), WAIT_MS);
  }

  function open() {
    document.querySelector(".drawer:popover-open")?.hidePopover();
    field.value = "";
    look();
    dialog.showModal();
  }

  /* -- keys -- */

  field.addEventListener("input", look);
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const acts = {
      ArrowDown: () => choose(chosen + 1),
      ArrowUp: () => choose(chosen - 1),
      Enter: () => list.querySelector('[aria-selected="true"]')?.click(),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  });
  opener.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); }); // beside it
  dialog.addEventListener("close", () => { clearTimeout(timer); asking?.abort(); });
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else if (!document.querySelector("dialog[open]")) open();
  });
})();
