/** Reads Server-Sent Events: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */

export interface Frame {
  event: string;
  data: string;
  id: string;
}

/** What is kept between two chunks. */
export interface Carry {
  line: string;
  endedInCr: boolean;
  event: string;
  data: string[];
  id: string;
  /** Milliseconds that the server asks to wait before coming back. */
  retry?: number | undefined;
}

export const emptyCarry: Carry = { line: "", endedInCr: false, event: "", data: [], id: "" };

/** Takes the next chunk as TextDecoder decodes a stream (without a byte order mark at its begin), cut anywhere, and
 * returns the frames that it completes. Throws a RangeError once an open frame is longer than `maxChars`. */
export function feed(carry: Carry, chunk: string, maxChars = 1e6): [Carry, Frame[]] {
  if (!chunk) return [carry, []];
  let text = chunk;
  if (carry.endedInCr && text[0] === "\n") text = text.slice(1);
  const lines = text.split(/\r\n|\r|\n/);
  lines[0] = carry.line + lines[0];
  const line = lines.pop() as string;
  let { event, data, id, retry } = carry;
  const frames: Frame[] = [];
  for (const whole of lines) {
    if (!whole) {
      if (data.length) frames.push({ event: event || "message", data: data.join("\n"), id });
      event = "";
      data = [];
      continue;
    }
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(whole) as unknown as [string, string, string];
    if (name === "data") data = [...data, value];
    else if (name === "event") event = value;
    else if (name === "id" && !value.includes("\0")) id = value;
    else if (name === "retry" && /^\d+$/.test(value)) retry = +value;
  }
  if ((line + data).length > maxChars) throw RangeError();
  return [{ line, endedInCr: chunk.endsWith("\r"), event, data, id, retry }, frames];
}
