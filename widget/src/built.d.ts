/** What build.mjs makes of files that are not TypeScript. */
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "docent:close-words" {
  /** "Close" by language. */
  const words: Record<string, string>;
  export default words;
}
declare module "docent:english-frame" {
  const words: Record<number, string>;
  export default words;
}
declare module "docent:english" {
  const words: Record<number, string>;
  export default words;
}
declare module "docent:english-people" {
  /** How many words stand before these. */
  export const BEFORE: number;
  const words: string[];
  export default words;
}
declare module "docent:english-confirm" {
  /** How many words stand before these. */
  export const BEFORE: number;
  const words: string[];
  export default words;
}
declare module "docent:english-past" {
  /** How many words stand before these. */
  export const BEFORE: number;
  const words: string[];
  export default words;
}
declare module "docent:parts" {
  type Part = import("./part_file.js").PartFile;
  /** The file with what is in the panel, known to the first; the one that sees to people, the one that reads the page, and the one with the list of conversations, known to it; the one that proves work and the one that asks to confirm, known to the one that sees to people; the one that colours code, known to the one that reads the page. */
  export const PANEL: Part;
  export const PEOPLE: Part;
  export const PAGE: Part;
  export const PAST: Part;
  export const PROOF: Part;
  export const CONFIRM: Part;
  export const CODE: Part;
}
