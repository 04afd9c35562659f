import { vi } from 'vitest'
import { main } from '../../src/faces/cli/main.ts'
import type { ToolResult } from '../../src/core/result.ts'
import type { Place } from './place.ts'

/** What a command printed, and how it ended. */
export interface CommandEnd {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs a command line on the root of a place, without a terminal to ask on. */
export type RunCommand = (words: readonly string[]) => Promise<CommandEnd>

/** Commands that run in this process: only the program that starts them is left out. */
export function commandsHere({ root }: Place): RunCommand {
  return async (words) => {
    let [out, err] = ['', '']
    const spies = [
      vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => ((out += String(chunk)), true)),
      vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => ((err += String(chunk)), true)),
    ]
    try {
      const code = await main([...words, '--no-input', '--root', root])
      return { code, out, err }
    } finally {
      for (const spy of spies) spy.mockRestore()
    }
  }
}

/** The results among the printed lines. */
export function rowsOf({ out, err }: CommandEnd): readonly ToolResult[] {
  const rows = out.split('\n').filter((line) => line.startsWith('{"id":'))
  if (rows.length === 0) throw new Error(`no rows: ${out}${err}`)
  return rows.map((line) => JSON.parse(line) as ToolResult)
}
