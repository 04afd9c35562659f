import { Markdown, setCapabilityOverrides } from '@earendil-works/pi-tui'
import type { MarkdownTheme } from '@earendil-works/pi-tui'
import { colourCode } from '../../../terminal/colour-code.ts'
import { fit, plain } from './canvas.ts'
import type { Canvas } from './canvas.ts'

// Links show their target instead of hiding it behind their text.
setCapabilityOverrides({ hyperlinks: false, images: null })

/** A margin keeps text of the model out of the column with the marks of calls. */
const MARGIN = 2
/** The narrowest layout that the library supports. */
const NARROWEST = 10

/** Draws Markdown. */
export function drawMarkdown(text: string, { columns, paint }: Canvas): readonly string[] {
  const theme: MarkdownTheme = {
    heading: (part) => paint('bold', part),
    link: (part) => paint('underline', part),
    linkUrl: (part) => paint('dim', part),
    code: (part) => paint('cyan', part),
    codeBlock: (part) => part,
    highlightCode: (code, language = '') => code.split('\n').map((line) => colourCode(line, language, paint)),
    codeBlockBorder: (part) => paint('dim', part),
    quote: (part) => paint('italic', part),
    quoteBorder: (part) => paint('dim', part),
    hr: (part) => paint('dim', part),
    listBullet: (part) => paint('cyan', part),
    bold: (part) => paint('bold', part),
    italic: (part) => paint('italic', part),
    strikethrough: (part) => paint('dim', part),
    underline: (part) => paint('underline', part),
  }
  const drawn = new Markdown(plain(text), MARGIN, 0, theme, undefined, { renderLatex: false })
  const rows = drawn.render(Math.max(NARROWEST, columns)).map((row) => row.trimEnd())
  return columns < NARROWEST ? rows.map((row) => fit(row, columns)) : rows
}
