/** Reads code just far enough to colour it: comments, strings, numbers, keywords and names. Nothing here touches a page.
 *
 * One pattern for each language, whose groups say what was found; what none finds is plain. A string that is not closed ends with its
 * line or the text, a comment with the text: code that is still being written is read as far as it has come. What looks back or ahead
 * is bounded, so that the time grows with the text and no faster. */

const KINDS = ["comment", "keyword", "name", "string", "number"] as const;
export type Kind = (typeof KINDS)[number];

/** A part of a code and what it is; undefined is plain. Together the parts are the code. */
export type Token = readonly [text: string, kind: Kind | undefined];

interface Language extends Partial<Record<Kind, string>> {
  /** Keywords, beside those that `keyword` finds. */
  words?: string;
  flags?: string;
  /** Another language in what the pattern finds. */
  inside?: readonly [pattern: RegExp, language: string][];
}

const { raw } = String;
const NOTHING = "(?!)";
const END = "(?![^])";
const BLOCK_COMMENT = raw`\/\*[^]*?(?:\*\/|${END})`;
const SLASHES = raw`\/\/.*|` + BLOCK_COMMENT;
const HASH = raw`(?<!\S)#.*`;
const DOUBLE = raw`"(?:\\.|[^"\\\n])*"?`;
const QUOTED = DOUBLE + raw`|'(?:\\.|[^'\\\n])*'?`;
const TRIPLE = raw`"""[^]*?(?:"""|${END})|'''[^]*?(?:'''|${END})`;
/** These may have more than one line. */
const LONG_DOUBLE = raw`"(?:\\[^]|[^"\\])*"?`;
const BACKTICKS = "`(?:\\\\[^]|[^`\\\\])*`?";
const IN_WORD = raw`\p{L}\p{N}_$`;
const CALL = raw`(?<![${IN_WORD}])[\p{L}_$][${IN_WORD}]*[!?]?(?=\()`;
const NUMBER = raw`(?<![${IN_WORD}])(?:0[xob][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)(?:%|[a-zA-Z]{1,4})?(?![${IN_WORD}])`;
const INDENT = raw`^[ \t]{0,80}`;

const LANGUAGES: Record<string, Language> = {
  sh: {
    comment: HASH,
    name: raw`\$\{[^}\n]*\}?|\$[\w@*#?!]\w*|(?<!\S)-{1,2}[a-zA-Z][\w-]*|${INDENT}[A-Z_a-z]\w*(?==)`,
    string: raw`"(?:\\[^]|[^"\\])*"|'[^']*'|["'].*`,
    words: "if then else elif fi for in do done while until case esac function select export local readonly return exit source alias unset set eval exec trap shift cd echo printf sudo test FROM RUN COPY CMD ENTRYPOINT ENV WORKDIR EXPOSE ARG USER",
    flags: "m",
  },
  js: {
    comment: SLASHES,
    name: CALL + raw`|@\w+`,
    string: raw`${QUOTED}|${BACKTICKS}|(?<=(?:[=(,:!&|?{};[\n]|return|^) {0,9})\/(?![*\/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\/\\\n[])+\/[a-z]*`,
    words: "any as async await boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for from function if implements import in instanceof interface keyof let namespace never new null number of override private protected public readonly return satisfies static string super switch this throw true try type(?=[\\t\\x20]+[A-Z]) typeof undefined unknown var void while yield",
  },
  py: {
    comment: "#.*",
    name: raw`${CALL}|${INDENT}@[\w.]+`,
    string: raw`[rbfuRBFU]{0,2}(?:${TRIPLE}|${QUOTED})`,
    words: "and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield",
    flags: "m",
  },
  json: { comment: SLASHES, name: raw`"(?:\\.|[^"\\\n])*"(?=\s{0,80}:)`, string: DOUBLE, words: "true false null" },
  yaml: {
    comment: HASH,
    keyword: raw`(?<=[:\-,[] {1,80})(?:true|false|null|yes|no|on|off)(?=[ \t]*(?:[#,\]}]|$))|^(?:---|\.\.\.)$`,
    name: raw`(?<=${INDENT}(?:- {1,9}){0,9})[\w.\/$-]+(?=:(?:\s|$))|(?<=[{,] {0,80})[\w.-]+(?=: )|(?<!\S)[&*]\w+`,
    string: QUOTED,
    flags: "m",
  },
  toml: {
    comment: raw`(?<!\S)[#;].*`,
    keyword: raw`${INDENT}\[[^\]\n]*\]{0,2}`,
    name: raw`(?<=${INDENT})[\w."-]+(?=[ \t]*=)|(?<=[{,] {0,80})[\w-]+(?= *=)`,
    string: TRIPLE + "|" + QUOTED,
    words: "true false",
    flags: "m",
  },
  html: {
    comment: raw`<!--[^]*?(?:-->|${END})`,
    keyword: raw`<[\/!?]?[a-zA-Z][\w:.-]*|(?<=["'\w\s\/])\/?>`,
    name: raw`(?<=[\s"'])[\w:@.#-]+(?==)|&[\w#]+;`,
    string: raw`(?<==\s{0,9})(?:"[^"]*"?|'[^']*'?)`,
    // Those in a text are no code.
    number: NOTHING,
    inside: [
      [/(?<=<script[^>]*>)[^<](?:[^<]|<(?!\/script))*/gi, "js"],
      [/(?<=<style[^>]*>)[^<](?:[^<]|<(?!\/style))*/gi, "css"],
    ],
  },
  css: {
    comment: raw`(?<!\S)\/\/.*|` + BLOCK_COMMENT,
    keyword: raw`@[\w-]+|!important`,
    name: raw`(?<=[{;\/(]\s{0,80})[\w$-]+(?=\s{0,9}:(?![^;}\n]{0,80}\{))|(?:--|\$)[\w-]+`,
    string: QUOTED,
    number: raw`(?<=:[^;{}\n]{0,80})#[\da-fA-F]{3,8}(?![\w-])|` + NUMBER,
  },
  sql: {
    comment: "--.*|" + BLOCK_COMMENT,
    name: raw`"[^"\n]*"|${CALL}|` + "`[^`\\n]*`",
    string: "'(?:''|[^'])*'?",
    words: "add all alter and any as asc begin between boolean by cascade case check column commit constraint create cross database default delete desc distinct drop else end exists explain foreign from full grant group having if ilike in index inner insert int integer into is join key left like limit not null numeric offset on or order outer over partition primary references replace returning revoke right rollback select set table text then timestamp to transaction trigger true false truncate union unique update using values varchar view when where with",
    flags: "i",
  },
  go: {
    comment: SLASHES,
    name: CALL,
    string: QUOTED + "|" + BACKTICKS,
    words: "any bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if import int int64 interface iota map nil package range return rune select string struct switch true type var",
  },
  rust: {
    comment: SLASHES,
    name: raw`${CALL}|\w+!(?=[\s([{])|#!?\[[^\]\n]*\]|'[a-z_]\w*(?!['\w])`,
    string: raw`b?r(?<mark>#*)"[^]*?(?:"\k<mark>|${END})|b?${LONG_DOUBLE}|b?'(?:\\[^'\n]*|[^'\\\n])'`,
    words: "as async await bool break char const continue crate dyn else enum extern false fn for i32 i64 if impl in let loop match mod move mut pub ref return self Self static str String struct super trait true type u8 u32 u64 unsafe use usize where while",
  },
  c: {
    comment: SLASHES,
    keyword: raw`${INDENT}#[ \t]{0,9}[a-z]+`,
    name: CALL + raw`|@\w+`,
    string: TRIPLE + "|" + QUOTED,
    words: "abstract as async auto await bool boolean break byte case catch char class companion const continue decimal default delete do double else enum extends extern false final finally float for foreach fun func goto guard if implements import in inline instanceof int interface internal is let long namespace native nil new null nullptr operator override package private protected protocol public readonly return sealed self short signed sizeof static string struct super switch template this throw throws true try typedef typename union unsigned using val var virtual void volatile when while yield",
    flags: "m",
  },
  php: {
    comment: SLASHES + raw`|#(?!\[).*`,
    keyword: raw`<\?(?:php|=)?|\?>`,
    name: CALL + raw`|\$\w+`,
    string: LONG_DOUBLE + raw`|'(?:\\[^]|[^'\\])*'?`,
    words: "abstract and array as bool break case catch class clone const continue declare default do echo else elseif enum extends false final finally float fn for foreach function global if implements include include_once instanceof int interface match mixed namespace new null or print private protected public readonly require require_once return self static string switch this throw trait true try use var void while yield",
  },
  ruby: {
    comment: raw`#(?!\{).*|^=begin[^]*?(?:^=end|${END})`,
    name: CALL + raw`|[@$]{1,2}\w+|(?<!\w)\w+:(?= )`,
    string: QUOTED + raw`|(?<![:\w]):[a-z_]\w*[?!]?`,
    words: "alias and attr_accessor attr_reader begin break case class def defined do each else elsif end ensure extend false for if in include module next new nil not or private protected public puts raise redo require require_relative rescue retry return self super then true undef unless until when while yield",
    flags: "m",
  },
  diff: { comment: "^-.*", keyword: "^@@.*", string: raw`^\+.*`, number: NOTHING, flags: "m" },
};

const NAMES = new Map(
  [
    "sh bash shell zsh console terminal shellsession shell-session sh-session dockerfile docker",
    "js javascript mjs cjs jsx ts typescript tsx",
    "py python python3 py3",
    "json json5 jsonc",
    "yaml yml",
    "toml ini conf cfg properties env dotenv",
    "html xml svg vue svelte htm xhtml",
    "css scss less",
    "sql postgresql postgres mysql sqlite plpgsql",
    "go golang",
    "rust rs",
    "c cpp c++ h hpp cc cs csharp c# java kotlin kt swift scala dart",
    "php",
    "ruby rb",
    "diff patch",
  ].flatMap((line) => line.split(" ").map((each, _, [name]) => [each, name!] as const)),
);

const patterns = new Map<string, RegExp>();

function patternOf(name: string): RegExp {
  const known = patterns.get(name);
  if (known) return known;
  const { words, flags = "", ...found } = LANGUAGES[name]!;
  const word = words && raw`(?<![${IN_WORD}.-])(?:${words.replace(/ /g, "|")})(?![${IN_WORD}-])`;
  const parts: Partial<Record<Kind, string>> = { number: NUMBER, ...found, keyword: [found.keyword, word].filter(Boolean).join("|") };
  const pattern = new RegExp(KINDS.map((kind) => `(?<${kind}>${parts[kind] || NOTHING})`).join("|"), "gu" + flags);
  patterns.set(name, pattern);
  return pattern;
}

/** Undefined for a language that is not known. */
export function tokensOf(code: string, language: string): Token[] | undefined {
  const name = NAMES.get(language.toLowerCase());
  if (!name) return undefined;
  const found: Token[] = [];
  let at = 0;
  for (const [pattern, inner] of LANGUAGES[name]!.inside ?? []) {
    for (const { 0: text, index } of code.matchAll(pattern)) {
      if (index < at) continue;
      found.push(...read(code.slice(at, index), name), ...read(text, inner));
      at = index + text.length;
    }
  }
  return [...found, ...read(code.slice(at), name)];
}

function read(code: string, name: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  for (const { 0: text, index, groups } of code.matchAll(patternOf(name))) {
    if (!text) continue;
    if (index > at) found.push([code.slice(at, index), undefined]);
    found.push([text, KINDS.find((kind) => groups![kind] !== undefined)]);
    at = index + text.length;
  }
  if (at < code.length) found.push([code.slice(at), undefined]);
  return found;
}
