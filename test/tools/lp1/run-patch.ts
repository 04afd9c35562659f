import { applySection } from '../../../src/tools/lp1/apply.ts'
import type { FileLines } from '../../../src/tools/lp1/file-lines.ts'
import { readFileLines, writeFileLines } from '../../../src/tools/lp1/file-lines.ts'
import type { Lp1Error } from '../../../src/tools/lp1/lp1-error.ts'
import { mergeSections } from '../../../src/tools/lp1/operation.ts'
import type { Patch } from '../../../src/tools/lp1/operation.ts'
import { parsePatch } from '../../../src/tools/lp1/parse.ts'

/** What became of one file: its text (null where there is none), or the error. */
export type Outcome = { text: string | null; changed: boolean } | { error: Lp1Error }

/** The model of a text, for texts that are known to be readable. */
export function fileOf(text: string): FileLines {
  const read = readFileLines(new TextEncoder().encode(text))
  if (!read.ok) throw new Error(read.message)
  return read.file
}

/** A file as text, its byte order mark included. */
export function textOf(file: FileLines): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(writeFileLines(file))
}

/** The patch of a text that must parse. */
export function patchOf(text: string): Patch {
  const parsed = parsePatch(text)
  if (!parsed.ok) throw new Error(`${parsed.error.code}: ${parsed.error.message}`)
  return parsed.patch
}

/** Runs a whole patch, all of whose sections mean one file. */
export function runWhole(before: string | null, patch: string, strictEol = false): Outcome {
  const parsed = parsePatch(patch)
  if (!parsed.ok) return { error: parsed.error }
  const ops = mergeSections(parsed.patch, () => 'the file').sections.flatMap((section) => section.ops)
  const result = applySection(ops, before === null ? null : fileOf(before), { strictEol })
  if (!result.ok) return { error: result.error }
  return { text: result.file === null ? null : textOf(result.file), changed: result.changed }
}

/** Runs operations that are written as patch lines. */
export function runOps(before: string | null, ops: readonly string[], strictEol = false): Outcome {
  return runWhole(before, ['LP1', 'F f.txt', ...ops, 'END', ''].join('\n'), strictEol)
}

/** The text that operations leave, or the code of their error. */
export function resultOf(outcome: Outcome): string | null {
  return 'error' in outcome ? `! ${outcome.error.code}` : outcome.text
}

/** The error of an outcome that must have one. */
export function errorOf(outcome: Outcome): Lp1Error {
  if ('error' in outcome) return outcome.error
  throw new Error(`expected an error, got ${JSON.stringify(outcome.text)}`)
}

/** Writes the lines of a block as a patch has them. */
export function blockOf(texts: readonly string[]): string[] {
  return [...texts.map((text) => (text.startsWith('.') ? `.${text}` : text)), '.']
}
