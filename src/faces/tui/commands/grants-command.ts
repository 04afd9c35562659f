import type { Revocation } from '../../../runtime/approvals/grants.ts'
import { plainLine } from '../draw/canvas.ts'
import type { AppCommand, AppPowers } from './app-command.ts'

/** Lists and revokes grants. */
export const grantsCommand: AppCommand = {
  name: 'grants',
  words: '[revoke ID]',
  says: 'list or revoke what may run without asking',
  run: async (rest, app) => {
    const [word, id, ...more] = rest.split(/\s+/).filter((one) => one !== '')
    if (word === undefined) await listGrants(app)
    else if (word === 'revoke' && id !== undefined && more.length === 0) await revoke(id, app)
    else app.session().say('trouble', 'Use /grants or /grants revoke ID.')
  },
  complete: () => ['revoke '],
}

async function listGrants(app: AppPowers): Promise<void> {
  const session = app.session()
  const { grants, ignored } = await session.runtime.grants()
  const rows = grants
    .filter(({ standing }) => standing === 'standing')
    .map(({ id, sentence }) => `${id}\t${plainLine(sentence)}`)
  const odd = ignored.map(({ id, tool, why }) => `${id}\t${plainLine(`ignored, for ${tool}: ${why}`)}`)
  const all = [...rows, ...odd]
  session.say(
    'plain',
    all.length === 0 ? 'There are no grants.' : [...all, '/grants revoke ID revokes one.'].join('\n'),
  )
}

async function revoke(id: string, app: AppPowers): Promise<void> {
  const session = app.session()
  const revocation = await session.runtime.revoke(id, { session: session.request.session })
  session.say(revocation.ok ? 'good' : 'trouble', describeRevocation(id, revocation))
}

function describeRevocation(id: string, revocation: Revocation): string {
  if (!revocation.ok) return `${id} ${revocation.why}.`
  if ('removed' in revocation) return `Removed the ignored record ${revocation.removed}.`
  return revocation.isNew ? 'Revoked.' : 'It was already revoked.'
}
