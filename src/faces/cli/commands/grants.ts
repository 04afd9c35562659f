import { USUAL_SESSION } from '../../../config/fixed-values.ts'
import type { ShownGrant } from '../../../runtime/approvals/grants.ts'
import type { ParsedLine } from '../arguments.ts'
import { openRuntime } from '../open.ts'
import { safe, safeWords } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../errors.ts'

/** `tongs grants [revoke ID]`: lists or revokes what may run without asking. */
export async function grants(line: ParsedLine, terminal: Terminal): Promise<number> {
  const [word, id] = line.words
  if (word === undefined) return list(line, terminal)
  if (word !== 'revoke')
    throw new UsageError(`unknown grants command ${JSON.stringify(word)}`, 'usage: tongs grants [revoke ID]')
  if (id === undefined) throw new UsageError('grants revoke needs an id', 'tongs grants lists the ids')
  return revoke(id, line, terminal)
}

async function list(line: ParsedLine, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  try {
    const { grants: all, ignored } = await runtime.grants()
    const shown = line.has('--all') ? all : all.filter(({ standing }) => standing === 'standing')
    if (line.has('--json')) {
      terminal.json({ grants: shown, ignored })
      return 0
    }
    for (const grant of shown) show(grant, terminal)
    if (shown.length === 0) terminal.print('No grants here: calls that need approval are asked about.')
    const hidden = all.length - shown.length
    if (hidden > 0) terminal.print(`(${hidden} more have ended; --all shows them)`)
    for (const one of ignored)
      terminal.warn(`tongs: grant ${one.id} for ${one.tool} is ignored: ${one.why}; revoke it to remove it`)
    return 0
  } finally {
    await runtime.close()
  }
}

function show({ id, sentence, standing }: ShownGrant, terminal: Terminal): void {
  const mark = standing === 'standing' ? '' : `[${standing}] `
  terminal.print(
    `${terminal.paint('bold', safe(id))}  ${terminal.paint('yellow', mark)}${safeWords(sentence)}`,
  )
}

async function revoke(id: string, line: ParsedLine, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  try {
    const revocation = await runtime.revoke(id, { session: line.value('--session') ?? USUAL_SESSION })
    if (line.has('--json')) terminal.json(revocation)
    if (!revocation.ok) {
      terminal.warn(`tongs: ${JSON.stringify(id)} ${revocation.why}`)
      return 1
    }
    if (line.has('--json')) return 0
    if ('removed' in revocation) terminal.print(safe(`Removed the ignored record ${revocation.removed}.`))
    else if (revocation.isNew)
      terminal.print(safeWords(`Revoked ${revocation.grant.id}. ${revocation.grant.sentence}`))
    else terminal.print(safeWords(`${revocation.grant.id} was already revoked. ${revocation.grant.sentence}`))
    return 0
  } finally {
    await runtime.close()
  }
}
