/** What build.mjs makes of files that are not TypeScript. */
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "docent:english" {
  const words: Record<number, string>;
  export default words;
}
