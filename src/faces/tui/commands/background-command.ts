import type { BackgroundRow } from '../../../core/shell/background.ts'
import { sanitise } from '../../../core/text/display/sanitise.ts'
import { showAge } from '../draw/show-age.ts'
import type { AppCommand, AppPowers } from './app-command.ts'

/** Lists and stops the commands that go on in the background. */
export const backgroundCommand: AppCommand = {
  name: 'background',
  words: '[stop HANDLE]',
  says: 'list the commands that go on in the background, or stop one',
  run: (rest, app) => runBackground(rest.trim(), app),
  complete: (app) => runningOf(app).map(({ handle }) => `stop ${handle}`),
}

async function runBackground(rest: string, app: AppPowers): Promise<void> {
  const session = app.session()
  if (rest === '') {
    const rows = ofSession(app)
    session.say(
      'plain',
      rows.length === 0 ? 'No command is in the background.' : rows.map(describe).join('\n'),
    )
    return
  }
  const [, prefix = ''] = /^stop\s+(\S+)$/.exec(rest) ?? []
  const [one, ...others] =
    prefix === '' ? [] : runningOf(app).filter(({ handle }) => handle.startsWith(prefix))
  if (one === undefined || others.length > 0) {
    session.say('trouble', 'Use /background, or /background stop HANDLE for one that runs.')
    return
  }
  await session.runtime.stopBackground({ session: one.session, handle: one.handle })
  session.say('plain', `Stopped: ${sanitise(one.command, { oneLine: true })}`)
}

function ofSession(app: AppPowers): readonly BackgroundRow[] {
  const { runtime, request } = app.session()
  return runtime.background().filter(({ session }) => session === request.session)
}

function runningOf(app: AppPowers): readonly BackgroundRow[] {
  return ofSession(app).filter(({ state }) => state === 'running')
}

function describe({ handle, command, startedAt, ended }: BackgroundRow): string {
  const state = ended ?? `runs, started ${showAge(Date.now() - startedAt)}`
  return `${handle}\t${sanitise(command, { oneLine: true })}: ${state}`
}
