/** What GET /v1/widget/search says. */
export interface TextPart {
  text: string;
  is_match: boolean;
}

export interface FoundPassage {
  url: string | null;
  headings: readonly TextPart[];
  text: readonly TextPart[];
}

export interface FoundPage {
  url: string | null;
  title: readonly TextPart[];
  passages: readonly FoundPassage[];
}

/** By what the pages can be narrowed: `name` is the parameter that takes a `value`. */
export interface Facet {
  name: string;
  values: readonly { value: string; label: string; pages: number }[];
}

export interface FoundPages {
  pages: readonly FoundPage[];
  facets: readonly Facet[];
}
