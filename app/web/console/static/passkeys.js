/* A form that a passkey fills in: when it is sent, the browser makes its credential. */
"use strict";

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const { passkey, options } = form.dataset;
  const failed = form.querySelector("[data-failed]");
  form.addEventListener("submit", async (event) => {
    const { credential } = form.elements;
    if (credential.value) return;
    event.preventDefault();
    failed.hidden = true;
    try {
      const json = JSON.parse(options);
      const found = passkey === "create"
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(json) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(json) });
      credential.value = JSON.stringify(found.toJSON());
    } catch {
      failed.hidden = false;
      return;
    }
    form.requestSubmit();
  });
}
