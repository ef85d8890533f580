/** Reads Server-Sent Events: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */

export interface Frame {
  event: string;
  data: string;
  id: string;
}

/** What is kept between two chunks. `line` is null until the first character, where a byte order mark may stand. */
export interface Carry {
  line: string | null;
  endedInCr: boolean;
  event: string;
  data: string[];
  id: string;
}

export const emptyCarry: Carry = { line: null, endedInCr: false, event: "", data: [], id: "" };

/** Takes the next decoded chunk, cut anywhere, and returns the frames that it completes. */
export function feed(carry: Carry, chunk: string): [Carry, Frame[]] {
  if (!chunk) return [carry, []];
  let text = chunk;
  if (carry.line === null && text[0] === "\uFEFF") text = text.slice(1);
  if (carry.endedInCr && text[0] === "\n") text = text.slice(1);
  const lines = text.split(/\r\n|\r|\n/);
  lines[0] = (carry.line ?? "") + lines[0];
  const line = lines.pop() as string;
  let { event, data, id } = carry;
  const frames: Frame[] = [];
  for (const whole of lines) {
    if (!whole) {
      if (data.length) frames.push({ event: event || "message", data: data.join("\n"), id });
      event = "";
      data = [];
      continue;
    }
    const colon = whole.indexOf(":");
    const name = colon < 0 ? whole : whole.slice(0, colon);
    const value = colon < 0 ? "" : whole.slice(whole[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") data = [...data, value];
    else if (name === "event") event = value;
    else if (name === "id" && !value.includes("\0")) id = value;
  }
  return [{ line, endedInCr: chunk.endsWith("\r"), event, data, id }, frames];
}
