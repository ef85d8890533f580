import type { Desk } from "./desk.js";
import { h, iconButton } from "./element.js";

/** A larger one is made smaller before it is sent, as the server would. */
const MOST_PX = 1600;
/** A frame with a hill and the sun. */
const PICTURE = "M4 5h16v14H4zm0 11 5-5 7 7M15 9h0";

// "files" is quoted, for the build gives a property of ours that name.
/** Lets the visitor choose, paste or drop a picture while `isOn`, until the signal; each is handed on as a WebP in Base64, made of its pixels alone. */
export function takePictures({ root, actions }: Desk, label: string, isOn: () => boolean, send: (picture: string) => void, signal: AbortSignal): void {
  const take = (files: FileList | undefined | null, event: Event): void => {
    const file = isOn() && [...(files ?? [])].find((each) => each.type.startsWith("image/"));
    if (!file) return;
    event.preventDefault();
    drawn(file).then(send, () => actions.notice({ code: "person" }));
  };
  const chosen = (event: Event): void => {
    take(field["files"], event);
    field.value = "";
  };
  const field = h("input", { type: "file", accept: "image/*", hidden: true, change: chosen });
  const add = h("span", { class: "add" }, field, iconButton(label, PICTURE, () => field.click(), { type: "button" }));
  root.querySelector(".send")!.before(add);
  root.addEventListener("paste", (event) => take(event.clipboardData?.["files"], event), { signal });
  root.addEventListener("dragover", (event) => isOn() && event.preventDefault(), { signal });
  root.addEventListener("drop", (event) => take(event.dataTransfer?.["files"], event), { signal });
  signal.onabort = () => add.remove();
}

async function drawn(file: File): Promise<string> {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, MOST_PX / Math.max(bitmap.width, bitmap.height));
  const canvas = h("canvas", { width: bitmap.width * scale, height: bitmap.height * scale });
  canvas.getContext("2d")!.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  // A browser that writes no WebP makes a PNG.
  return canvas.toDataURL("image/webp", 0.9).split(",")[1]!;
}

/** A picture that comes by the visitor's own token, on a canvas: no address of it stands anywhere, and a website's policy need not
 * allow it. It is shown large when it is chosen. `instead` stands where it cannot come. */
export function shownPicture({ width, height }: { width: number; height: number }, label: string, response: Promise<Response>, instead: Node): HTMLElement {
  const canvas = h("canvas", { width, height });
  const large = h("dialog", { "aria-label": label, click: () => large.close(), keydown: (event) => event.stopPropagation(), close: () => button.append(canvas) });
  const enlarge = (): void => {
    large.append(canvas);
    large.showModal();
  };
  const button = h("button", { class: "photo", "aria-label": label, click: enlarge }, canvas);
  const whole = h("div", {}, button, large);
  response
    .then((answer) => answer.blob())
    .then(createImageBitmap)
    .then((bitmap) => canvas.getContext("2d")!.drawImage(bitmap, 0, 0))
    .catch(() => whole.replaceWith(instead));
  return whole;
}
