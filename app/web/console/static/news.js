/* Who waits for a person stands in the title, in the menu and above every page as soon as they ask. One tab listens for
   all that are open, and tells by sound or on the desktop where this browser was asked to. */
"use strict";

(() => {
  const { news: address, live, waiting: made } = document.body.dataset;
  const ours = `docent-news${address}`; // another Docent may lie below another path of this host
  const tabs = new BroadcastChannel(ours);
  const chosen = (how) => localStorage.getItem(`docent-tell-${how}`) === "on";
  let latest = null; // as this page shows it; of what it was made with only the number is known
  let isListening = false;

  /* -- what a page shows -- */

  function show(told) {
    const before = latest;
    latest = told;
    showWaiting(told.waiting);
    const isNew = before
      ? before.moved_at !== told.moved_at || before.asked_at !== told.asked_at || before.waiting !== told.waiting
      : told.waiting !== Number(made);
    if (isNew) document.body.dispatchEvent(new CustomEvent("docent:news"));
  }

  function showWaiting(count) {
    const title = document.title.replace(/^\(\d+\) /, "");
    document.title = count ? `(${count}) ${title}` : title;
    const entry = document.querySelector('.menu [data-page="live"]');
    entry?.querySelector(".count")?.remove();
    if (count) entry?.append(badge(count));
    const line = document.getElementById("in-line");
    if (!line) return;
    const others = count - document.querySelectorAll("[data-waits]").length; // whose chat is open is in sight
    const words = `${others} ${others === 1 ? "visitor is waiting" : "visitors are waiting"} for a person.`;
    if (line.firstElementChild.textContent !== words) line.firstElementChild.textContent = words;
    line.hidden = others < 1;
  }

  function badge(count) {
    const shown = document.createElement("span");
    shown.className = "count warn";
    const unseen = document.createElement("span");
    unseen.className = "unseen";
    unseen.textContent = " waiting";
    shown.append(String(count), unseen);
    return shown;
  }

  /* -- one tab listens -- */

  tabs.addEventListener("message", ({ data }) => {
    if (data.news) show(data.news);
    else if (isListening && latest) tabs.postMessage({ news: latest }); // a page that was just opened asks
  });
  tabs.postMessage({ asks: true });

  navigator.locks?.request(ours, () => new Promise((done) => {
    isListening = true;
    const stream = new EventSource(address);
    stream.addEventListener("news", ({ data }) => {
      const told = JSON.parse(data);
      tabs.postMessage({ news: told });
      show(told);
      tell(told);
    });
    stream.addEventListener("error", () => {
      if (stream.readyState === EventSource.CLOSED) done(); // signed out: the next page of another session listens
    });
  }));

  /* -- sound and desktop -- */

  function tell({ waiting, asked_at: askedAt }) {
    if (!waiting || (localStorage.getItem("docent-told") ?? "") >= askedAt) return;
    localStorage.setItem("docent-told", askedAt);
    if (chosen("sound")) sound();
    if (chosen("desktop")) notify();
  }

  function sound() {
    const audio = new AudioContext();
    for (const [at, pitch] of [[0, 660], [0.18, 880]]) {
      const tone = audio.createOscillator();
      const loudness = audio.createGain();
      tone.frequency.value = pitch;
      loudness.gain.setValueAtTime(0.15, audio.currentTime + at);
      loudness.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + at + 0.3);
      tone.connect(loudness).connect(audio.destination);
      tone.start(audio.currentTime + at);
      tone.stop(audio.currentTime + at + 0.3);
    }
  }

  /* Nothing of what the visitor wrote: it may be read over a shoulder. */
  function notify() {
    const note = new Notification("A visitor is waiting for a person", { body: "Open the console to answer.", tag: "docent-live" });
    note.addEventListener("click", () => { window.focus(); location.assign(live); });
  }

  /* -- the choice, on the page Live -- */

  const choice = document.getElementById("tell-me");
  if (!choice) return;
  choice.hidden = false;
  for (const box of choice.querySelectorAll("[data-tell]")) {
    const how = box.dataset.tell;
    box.checked = chosen(how) && (how !== "desktop" || globalThis.Notification?.permission === "granted");
    box.addEventListener("change", async () => {
      if (box.checked && how === "desktop" && await globalThis.Notification?.requestPermission() !== "granted") {
        box.checked = false;
        document.getElementById("tell-said").textContent = "This browser blocks notifications from the console. Allow them in the browser's settings for this website.";
      }
      localStorage.setItem(`docent-tell-${how}`, box.checked ? "on" : "off");
      if (box.checked && how === "sound") sound();
    });
  }
})();
