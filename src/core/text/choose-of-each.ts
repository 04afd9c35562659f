/**
 * Of a list that is too long to be named whole so many items that each kind is among them, in the order of the list: a
 * folder that was deleted must not hide the one file that was modified.
 */
export function chooseOfEach<Item>(
  items: readonly Item[],
  most: number,
  kindOf: (item: Item) => string,
): readonly Item[] {
  if (items.length <= most) return items
  const met = new Map<string, number>()
  const ranked = items.map((item, at) => {
    const kind = kindOf(item)
    const before = met.get(kind) ?? 0
    met.set(kind, before + 1)
    return { item, at, before }
  })
  return ranked
    .toSorted((a, b) => a.before - b.before || a.at - b.at)
    .slice(0, most)
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
