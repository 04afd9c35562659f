/** The colours for a light and for a dark page; a picture is shown on its own ground. */
const STYLE = `
.ground { fill: #ffffff } .ink { fill: #24292f } .faint { fill: #57606a } .grid { stroke: #d8dee4 } .goal { stroke: #24292f }
.a { fill: #0969da; stroke: #0969da } .b { fill: #bc4c00; stroke: #bc4c00 } .c { fill: #1a7f37; stroke: #1a7f37 }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117 } .ink { fill: #e6edf3 } .faint { fill: #9198a1 } .grid { stroke: #30363d } .goal { stroke: #e6edf3 }
.a { fill: #58a6ff; stroke: #58a6ff } .b { fill: #f0883e; stroke: #f0883e } .c { fill: #3fb950; stroke: #3fb950 }
}
text { font: 12px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; stroke: none }
.title { font-size: 15px; font-weight: 600 }
polyline { fill: none; stroke-width: 2 }`

/** Puts drawn parts on their ground. */
export function renderSvg(
  { width, height, title }: { readonly width: number; readonly height: number; readonly title: string },
  parts: readonly string[],
): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">`,
    `<title>${escape(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${width}" height="${height}" rx="8"/>`,
    text(title, { x: 16, y: 26, style: 'ink title' }),
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

interface TextPlace {
  readonly x: number
  readonly y: number
  readonly style: string
  readonly anchor?: 'start' | 'middle' | 'end'
}

export function text(words: string, { x, y, style, anchor = 'start' }: TextPlace): string {
  return `<text class="${style}" x="${tidy(x)}" y="${tidy(y)}" text-anchor="${anchor}">${escape(words)}</text>`
}

/** A straight line from one point to another. */
export function line(style: string, from: readonly [number, number], to: readonly [number, number]): string {
  return `<line class="${style}" x1="${tidy(from[0])}" y1="${tidy(from[1])}" x2="${tidy(to[0])}" y2="${tidy(to[1])}"/>`
}

export function tidy(value: number): number {
  return Math.round(value * 10) / 10
}

/** A figure as an axis shows it. */
export function label(value: number): string {
  if (value >= 1e6 && value % 1e5 === 0) return `${value / 1e6}M`
  return value >= 1000 ? value.toLocaleString('en') : String(Number(value.toPrecision(3)))
}

function escape(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
