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

export interface FoundPages {
  pages: readonly FoundPage[];
}
