import { sumUpEdits, takeBackDiscarded } from '../../../agent/sessions/interrupted-edits.ts'
import type { InterruptedBatch } from '../../../pipeline/after/inspect.ts'
import type { ParsedLine } from '../arguments.ts'
import { openRuntime } from '../open.ts'
import { safe, safeWords } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../errors.ts'

/** `tongs recover [--resume|--discard]`: shows what an interrupted batch left, and resumes or discards it. */
export async function recover(line: ParsedLine, terminal: Terminal): Promise<number> {
  if (line.has('--resume') && line.has('--discard'))
    throw new UsageError('--resume and --discard exclude each other', 'choose one')
  const choice = line.has('--resume') ? 'resume' : line.has('--discard') ? 'discard' : undefined
  const runtime = await openRuntime(line, terminal)
  try {
    const session = line.value('--session')
    const sums = (await runtime.recover(session === undefined ? {} : { session })).map((batch) => ({
      session: batch.session,
      edits: sumUpEdits(runtime, batch.session, batch.calls),
    }))
    const batches = await runtime.recover({
      ...(session === undefined ? {} : { session }),
      ...(choice === undefined ? {} : { choice }),
    })
    for (const { session: name, edits } of sums) {
      const fault = await takeBackDiscarded(runtime, name, choice, edits)
      if (fault !== null) terminal.warn(`tongs: ${fault}`)
    }
    if (line.has('--json')) {
      terminal.json({
        batches: batches.map(({ session: name, batch, calls }) => ({ session: name, batch, calls })),
        ...(choice === undefined ? {} : { choice }),
      })
    } else {
      for (const { session: name, edits } of sums)
        if (edits !== null) terminal.print(safeWords(`session ${name}: ${edits.says}`))
      show(batches, choice, terminal)
    }
    return 0
  } finally {
    await runtime.close()
  }
}

function show(batches: readonly InterruptedBatch[], choice: string | undefined, terminal: Terminal): void {
  if (batches.length === 0) {
    terminal.print('Nothing was interrupted.')
    return
  }
  for (const { session, calls } of batches) {
    terminal.print(safe(`session ${session}`))
    for (const { execution, name, status, evidence } of calls)
      terminal.print(`  ${status.padEnd(14)} ${safeWords(`${name} (${execution}): ${evidence}`)}`)
  }
  if (choice === undefined)
    terminal.print(
      'Nothing is run again. --resume keeps what finished; --discard marks all of it as failed, and takes back what is only partly in place and edits of an unfinished message.',
    )
  else
    terminal.print(
      choice === 'resume' ? 'Kept what finished; the rest has a result that says so.' : 'Discarded.',
    )
}
