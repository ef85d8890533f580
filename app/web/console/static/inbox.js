/* Conversations and gaps by keyboard. Each key does what a link, a box or a button of the page does as well; one is pressed alone
   and never while something is typed, and all of them are switched off below the list of keys. */
"use strict";

(() => {
  const help = document.getElementById("keys");
  const areOn = document.getElementById("keys-on");
  const OFF = "docent-keys"; // "off" where this browser shall know none
  const AT = "docent-inbox-at"; // the place in the list where one has closed something
  const opener = document.querySelector("[data-keys]");
  const links = () => [...document.querySelectorAll(".inbox-question, .whole tbody th > a")]; // live chats come and go
  const boxes = [...document.querySelectorAll('.whole :is(li, td) input[type="checkbox"]')];
  const row = () => links().findIndex((link) => link.closest("li, tr").contains(document.activeElement));
  const click = (selector) => document.querySelector(selector)?.click();

  /* -- a list -- */

  function move(by) {
    const at = row();
    const to = at < 0 ? 0 : Math.min(Math.max(at + by, 0), links().length - 1);
    links()[to].focus();
  }

  function closeChosen() {
    const at = row();
    const isChosen = boxes.some((box) => box.checked);
    if (!document.querySelector('.bulk button[value="close"]') || (!isChosen && at < 0)) return;
    if (!isChosen) boxes[at].checked = true;
    sessionStorage.setItem(AT, String(Math.max(at, 0)));
    click('.bulk button[value="close"]');
  }

  const OF_LIST = {
    j: () => move(1),
    k: () => move(-1),
    x: () => boxes[row()]?.click(),
    e: closeChosen,
    "/": () => document.querySelector('main [type="search"]')?.focus(),
  };

  /* -- one conversation -- */

  const shown = document.querySelector(".pane .is-shown");
  if (shown) shown.closest(".pane").scrollTop = shown.offsetTop; // the page itself stays

  const OF_ONE = {
    j: () => click('a[rel="next"]'),
    k: () => click('a[rel="prev"]'),
    e: () => click('#close-conversation[value="close"]'),
    u: () => click("a.back"),
  };

  const keys = document.querySelector("[data-inbox]").dataset.inbox === "list" ? OF_LIST : OF_ONE;

  function types(element) {
    return element.closest("textarea, select, [contenteditable], input:not([type='checkbox'])") !== null;
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (help.open || !areOn.checked || types(event.target)) return;
    const act = event.key === "?" ? () => help.showModal() : keys[event.key];
    if (!act || (keys === OF_LIST && !links().length && "jkxe".includes(event.key))) return;
    event.preventDefault();
    act();
  });

  /* -- the list of keys, and the place where one was -- */

  opener.hidden = false;
  opener.addEventListener("click", () => help.showModal());
  areOn.checked = localStorage.getItem(OFF) !== "off";
  areOn.addEventListener("change", () => localStorage.setItem(OFF, areOn.checked ? "on" : "off"));
  const at = sessionStorage.getItem(AT);
  sessionStorage.removeItem(AT);
  if (at !== null) links()[Math.min(Number(at), links().length - 1)]?.focus();

  const all = document.querySelector("[data-choose-all]");
  if (!all) return;
  all.hidden = false;
  all.addEventListener("click", () => {
    const choose = boxes.some((box) => !box.checked);
    for (const box of boxes) box.checked = choose;
  });
})();
