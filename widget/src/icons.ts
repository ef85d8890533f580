/** What `icon` draws. Each script has those that it names. */
export const ICONS = {
  close: "M6 6l12 12M18 6L6 18",
  wide: "M3 12h18M7 8l-4 4 4 4M17 8l4 4-4 4",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  plus: "M12 5v14M5 12h14",
  fresh: "M20 12a8 8 0 1 1-3-6l3 2V4v4h-4",
  copy: "M9 9h10v10H9zM15 9V5H5v10h4",
  check: "M5 12.5l4.5 4.5L19 7.5",
  up: "M7 10v10H4V10zl4-7q3 0 2 6h5q3 0 2 3l-1 6q0 2-3 2H7",
  down: "M17 14V4h3v10zl-4 7q-3 0-2-6H6q-3 0-2-3l1-6q0-2 3-2h9",
  past: "M12 7v5l3 2M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z",
  more: "M6 9l6 6 6-6",
  end: "M12 5v14M6 13l6 6 6-6",
} as const;
