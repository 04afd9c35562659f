import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LEAST } from '../../bench/felt/least-agent.ts'
import { openScreen } from '../../bench/felt/open-screen.ts'
import { playSession } from '../../bench/felt/play-session.ts'
import { cpuOfTree, megabytesOfTree } from '../../bench/felt/process-tree.ts'
import { sessionCalls } from '../../bench/felt/script.ts'
import { openOnce } from '../../bench/felt/use-app.ts'
import { APPS } from '../../eval/runners/apps.ts'

const DELAY_MS = 400

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tongs-felt-test-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return path
}

async function openLine(line: string) {
  const cwd = folder()
  const env = { HOME: cwd, TERM: 'tmux-256color', LANG: 'C.UTF-8' }
  const screen = await openScreen(line, { columns: 80, rows: 10, cwd, env })
  onTestFinished(() => screen.close())
  return screen
}

describe('a screen that is watched', () => {
  it('says when something was shown, not when it was looked at', async () => {
    const screen = await openLine(`sh -c 'echo begun; sleep ${DELAY_MS / 1000}; echo ended; sleep 60'`)
    const begun = await screen.shownAt(/begun/)
    const ended = await screen.shownAt(/ended/)
    expect(ended - begun).toBeGreaterThanOrEqual(DELAY_MS * 0.9)
    await wait(DELAY_MS)
    expect(await screen.shownAt(/ended/)).toBe(ended)
  })

  it('types what is given, and knows the process behind it', async () => {
    const screen = await openLine('cat')
    const typed = screen.type('a "quoted" $word; and \\more')
    const shown = await screen.shownAt(/a "quoted" \$word; and \\more/)
    expect(shown).toBeGreaterThan(typed)
    expect(megabytesOfTree(await screen.pid())).toBeGreaterThan(0)
  })

  it('sees the work of a program and of those below it, and none of one that waits', async () => {
    const busy = await openLine(`sh -c 'sh -c "while :; do :; done"; true'`)
    const idle = await openLine('sleep 60')
    const [busyPid, idlePid] = [await busy.pid(), await idle.pid()]
    while (cpuOfTree(busyPid) < 100) await wait(20)
    expect(cpuOfTree(idlePid)).toBeLessThan(100)
  })
})

describe('the scripted session', () => {
  it('is played to its end by tongs, with every part measured', async () => {
    const played = await playSession(APPS.tongs, folder(), sessionCalls(APPS.tongs))
    for (const figure of Object.values(played)) expect(figure).toBeGreaterThan(0)
  })

  it('is played to its end by the least agent too, which shows when it is open', async () => {
    const played = await playSession(LEAST, folder(), sessionCalls(LEAST))
    for (const figure of Object.values(played)) expect(figure).toBeGreaterThan(0)
    expect(await openOnce(LEAST, folder())).toBeGreaterThan(0)
  })

  it('control: is not taken for done if its edits fail', async () => {
    const calls = sessionCalls({ ...APPS.tongs, edit: (path) => APPS.tongs.edit(path, 'not there', 'x') })
    await expect(playSession(APPS.tongs, folder(), calls)).rejects.toThrow('tongs ended with')
  })
})
