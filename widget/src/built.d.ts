/** What build.mjs makes of files that are not TypeScript. */
declare module "*.css" {
  const text: string;
  export default text;
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
declare module "docent:people" {
  /** The name of the file that sees to people, and what its bytes are. */
  export const FILE: string;
  export const INTEGRITY: string;
}
