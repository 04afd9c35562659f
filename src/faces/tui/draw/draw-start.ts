import { isPresetName, PRESETS } from '../../../config/presets.ts'
import { plainLine, wrap } from './canvas.ts'
import type { Canvas } from './canvas.ts'

/** What the app works with: folder, session, model and protection. */
export interface StartFacts {
  readonly version: string
  readonly root: string
  readonly session: string
  readonly mode: string
  readonly preset: string
  /** Null until it was checked. */
  readonly sandbox: string | null
  readonly model: string | null
  /** Suggested models, in words. */
  readonly proposal: string
}

const MODES: Readonly<Record<string, string>> = {
  enabled: 'calls are run',
  parse_only: "a model's calls are held for you; yours are run",
  disabled: 'nothing is run',
}

/** The first rows of the app: those that hold from the beginning, and those from the first one that is still looked up. */
export interface StartRows {
  readonly known: readonly string[]
  readonly open: readonly string[]
}

/** Draws the first rows of the app: what it works with, and how to start. */
export function drawStart(facts: StartFacts, canvas: Canvas): StartRows {
  const { paint, columns } = canvas
  const { preset } = facts
  const says = isPresetName(preset) ? PRESETS[preset].says : 'as configured'
  const rowsOf = (name: string, value: string): readonly string[] =>
    wrap(plainLine(value), columns, ' '.repeat(10)).map((row, index) =>
      index === 0 ? ` ${paint('dim', name.padEnd(8))} ${row.slice(10)}` : row,
    )
  const way =
    facts.model === null
      ? 'Type what you want done: your first words lead to a model.\nType a call, such as read_file path=README.md, or /help.'
      : 'Type a prompt, a call, or /help.'
  const title = `tongs ${facts.version}`
  const folder = wrap(plainLine(facts.root), columns, ' '.repeat(title.length + 3)).map((row, index) =>
    index === 0 ? ` ${paint('bold', title)}  ${row.trimStart()}` : row,
  )
  return {
    known: [
      ...folder,
      ...rowsOf('session', facts.session),
      ...rowsOf('mode', `${facts.mode}: ${MODES[facts.mode] ?? ''}`),
      ...rowsOf('preset', `${preset}: ${says}`),
    ],
    open: [
      ...rowsOf('sandbox', facts.sandbox ?? 'checking…'),
      ...rowsOf('model', facts.model ?? `none yet; /setup chooses one. ${facts.proposal}`.trimEnd()),
      ...wrap(way, columns, ' '),
    ],
  }
}

/** Draws the row above a session that the app changed to: what is different there. */
export function drawSwitch({ session, preset, model }: StartFacts, { paint, columns }: Canvas): StartRows {
  const words = `session ${plainLine(session)} · preset ${preset} · ${model === null ? 'no model' : `model ${plainLine(model)}`}`
  return { known: ['', ...wrap(words, columns, ' ').map((row) => paint('dim', row))], open: [] }
}
