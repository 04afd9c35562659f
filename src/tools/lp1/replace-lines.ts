import type { FileLines, LineEnding } from './file-lines.ts'
import { endsInNewline, majorityEnding, sealLines } from './file-lines.ts'

/**
 * Replaces lines `from` to `to`, counted from 1 and inclusive, with `texts`; with `to = from - 1` it inserts them
 * before `from`.
 */
export type LineEdit = { readonly from: number; readonly to: number; readonly texts: readonly string[] }

export type ReplaceLinesResult =
  | { readonly ok: true; readonly file: FileLines }
  | {
      readonly ok: false
      readonly code: 'outside_file' | 'overlap'
      readonly edit: number
      readonly message: string
    }

/** How many lines a file has. */
export function lineCountOf(file: FileLines): number {
  return file.texts.length
}

/** The text of lines `from` to `to`, joined with LF whatever the file uses. */
export function textOfLines(file: FileLines, from: number, to: number): string {
  return file.texts.slice(Math.max(0, from - 1), Math.max(0, to)).join('\n')
}

/** Makes all edits at once; line numbers refer to the given file, and edits may not overlap. */
export function replaceLines(file: FileLines, edits: readonly LineEdit[]): ReplaceLinesResult {
  const count = lineCountOf(file)
  const ordered = edits
    .map((edit, index) => ({ edit, index }))
    .toSorted((one, other) => one.edit.from - other.edit.from || one.edit.to - other.edit.to)
  const newEnding = majorityEnding(file)
  const texts: string[] = []
  const endings: (LineEnding | '')[] = []
  let done = 0
  const copyUntil = (line: number): void => {
    for (; done < line; done += 1) {
      texts.push(file.texts[done] ?? '')
      endings.push(file.endings[done] ?? '')
    }
  }
  for (const { edit, index } of ordered) {
    if (!isInside(edit, count)) return refuse('outside_file', index, describeOutside(edit, count))
    if (edit.from <= done) return refuse('overlap', index, describeOverlap(edit, done))
    copyUntil(edit.from - 1)
    for (const text of edit.texts) {
      texts.push(text)
      endings.push(newEnding)
    }
    done = edit.to
  }
  copyUntil(count)
  const wantsNewline = endsInNewline(file)
  return {
    ok: true,
    file: sealLines({ hasBom: file.hasBom, texts, endings, endsInNewline: wantsNewline, newEnding }),
  }
}

function isInside(edit: LineEdit, count: number): boolean {
  const isWhole = Number.isSafeInteger(edit.from) && Number.isSafeInteger(edit.to)
  return isWhole && edit.from >= 1 && edit.to >= edit.from - 1 && edit.to <= count
}

function describeOutside(edit: LineEdit, count: number): string {
  return `Lines ${edit.from} to ${edit.to} are not a range of this file, which has ${count} lines counted from 1.`
}

function describeOverlap(edit: LineEdit, done: number): string {
  return `Lines ${edit.from} to ${edit.to} overlap an edit that reaches line ${done}; join the two.`
}

function refuse(code: 'outside_file' | 'overlap', edit: number, message: string): ReplaceLinesResult {
  return { ok: false, code, edit, message }
}
