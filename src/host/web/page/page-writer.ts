/** Marks that begin something inside a line, and are written only if something follows in it. */
interface OpenMark {
  readonly mark: string
  isWritten: boolean
}

/** A longer run of backticks was made to be a nuisance; what it closes does no harm. */
const LONGEST_FENCE = 20

/**
 * Writes text as compact Markdown: blanks are collapsed, blocks are set apart, and what turns out to be empty leaves no
 * mark.
 */
export class PageWriter {
  readonly #lines: string[] = []
  #line = ''
  /** What every line begins with, for quotes and list items; the first line of an item has its bullet instead. */
  readonly #prefixes: { readonly rest: string; first: string | null }[] = []
  readonly #marks: OpenMark[] = []
  #gap = 0
  #isSpaceDue = false
  /** How many table cells are open; in them everything stays on one line. */
  #cells = 0

  /** Text as it stands in the page. */
  text(value: string): void {
    const words = value.replaceAll(/[ \t\n\f\r]+/g, ' ')
    if (words === '') return
    if (words === ' ') {
      this.#isSpaceDue = true
      return
    }
    if (words.startsWith(' ')) this.#isSpaceDue = true
    this.#write(this.#cells > 0 ? words.trim().replaceAll('|', '\\|') : words.trim())
    this.#isSpaceDue = words.endsWith(' ')
  }

  /** Ends the line, and leaves at least this many empty ones before the next. */
  block(gap: 0 | 1): void {
    if (this.#cells > 0) {
      this.#isSpaceDue = true
      return
    }
    this.#endLine()
    this.#gap = Math.max(this.#gap, gap)
  }

  /** Opens a mark such as a bracket. */
  open(mark: string): void {
    this.#marks.push({ mark, isWritten: false })
  }

  /** Closes the mark that was opened last, with what comes after it. */
  close(end: string): void {
    const mark = this.#marks.pop()
    if (mark?.isWritten !== true) return
    const due = this.#isSpaceDue
    this.#isSpaceDue = false
    if (this.#line === '' && this.#lines.length > 0) this.#lines[this.#lines.length - 1] += end
    else this.#line += end
    this.#isSpaceDue = due
  }

  /** Begins a quote or a list item. */
  indent(rest: string, first: string | null = null): void {
    this.#prefixes.push({ rest, first })
  }

  outdent(): void {
    this.#endLine()
    this.#prefixes.pop()
  }

  openCell(): void {
    this.#write(this.#line === '' ? '| ' : ' | ', true)
    this.#isSpaceDue = false
    this.#cells += 1
  }

  closeCell(): void {
    this.#cells -= 1
    this.#isSpaceDue = false
  }

  closeRow(): void {
    if (this.#line !== '') this.#line += ' |'
    this.block(0)
  }

  /** Lines that stay as they are, between fences. */
  fenced(text: string, language: string): void {
    const body = text.replace(/^\n/, '').trimEnd()
    if (body.trim() === '') return
    const longest = (body.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
    const fence = '`'.repeat(Math.min(longest, LONGEST_FENCE) + 1)
    this.block(1)
    for (const line of [`${fence}${language}`, ...body.split('\n'), fence]) {
      this.#beginLine()
      this.#line += line.trimEnd()
      this.#pushLine()
    }
    this.#gap = 1
  }

  /** All that was written. */
  end(): string {
    this.#endLine()
    return this.#lines.join('\n')
  }

  #write(value: string, isBare = false): void {
    if (this.#line === '') this.#beginLine()
    else if (this.#isSpaceDue && !this.#line.endsWith(' ')) this.#line += ' '
    this.#isSpaceDue = false
    if (!isBare) this.#writeMarks()
    this.#line += value
  }

  /** A heading marks its line, so it comes before a link that is around it. */
  #writeMarks(): void {
    const due = this.#marks.filter(({ isWritten }) => !isWritten)
    const headings = due.filter(({ mark }) => mark.startsWith('#'))
    for (const one of [...headings, ...due.filter((mark) => !headings.includes(mark))]) {
      one.isWritten = true
      this.#line += one.mark
    }
  }

  #beginLine(): void {
    if (this.#gap > 0 && this.#lines.length > 0) this.#lines.push(this.#quotes().trimEnd())
    this.#gap = 0
    for (const prefix of this.#prefixes) {
      this.#line += prefix.first ?? prefix.rest
      prefix.first = null
    }
  }

  /** An empty line inside of a quote belongs to it. */
  #quotes(): string {
    return this.#prefixes.map(({ rest, first }) => (first === null ? rest : '')).join('')
  }

  #endLine(): void {
    this.#isSpaceDue = false
    if (this.#line !== '') this.#pushLine()
  }

  #pushLine(): void {
    this.#lines.push(this.#line.trimEnd())
    this.#line = ''
  }
}
