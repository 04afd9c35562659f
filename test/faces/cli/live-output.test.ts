import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makeShop, shopHere, TONGS } from './command-line.ts'
import { openPane } from './pane.ts'
import { someOf } from '../../harness/long-run.ts'

const made = makeShop({})
const shop = shopHere(made)
afterAll(made.remove)

const READY = /^> ?$/m
/** Prints, waits for a file, prints again; without a layer, on which it would not see the file. The sums keep what is printed apart from what is typed. */
const script = (ending: string) =>
  `echo early-$((40+2)); while [ ! -e go ]; do sleep 0.05; done; echo late-$((40+3)); ${ending}`

async function start(line: string) {
  const pane = await openPane(100, 40, shop.root, {
    TONGS_STATE_DIR: shop.stateDir,
    HOME: shop.env['HOME'],
    NO_COLOR: '1',
  })
  writeFileSync(join(shop.stateDir, '..', 'go.sh'), `${line}\necho "ended with $?"\n`)
  await pane.type(`clear; rm -f go; sh '${join(shop.stateDir, '..', 'go.sh')}'`)
  await pane.press('Enter')
  await pane.until(READY)
  await pane.type('y')
  await pane.press('Enter')
  return pane
}

const countOf = (text: string, word: string): number => text.split(word).length - 1

describe('a command that is called at a terminal', () => {
  it.each([
    ['run_shell', 'exit 3', 0, /exit code 3/],
    ['run_shell', 'true', 0, /late-43\n+ended with 0/],
    ['run_command', 'exit 3', 1, /exit code 3/],
  ])('%s shows its output while it runs, and not a second time: %s', async (tool, ending, code, says) => {
    const args = tool === 'run_shell' ? { cmd: ['sh', '-c', script(ending)] } : { command: script(ending) }
    const enabled = '--set tools.run_command.enabled=true --set tools.shell.layer=off'
    const pane = await start(`'${TONGS}' call ${tool} '${JSON.stringify(args)}' --root . ${enabled}`)
    await pane.until(/^early-42$/m)
    writeFileSync(join(shop.root, 'go'), '')
    const screen = await pane.until(/^ended with \d+$/m)
    expect(screen).toContain(`ended with ${code}`)
    expect(screen).toMatch(says)
    expect([countOf(screen, 'early-42'), countOf(screen, 'late-43')]).toEqual([1, 1])
  })

  it.each(someOf(['--json', '| cat', '--json | cat'], 1))(
    'a program gets only the result, once and whole: %s',
    async (how) => {
      const args = JSON.stringify({ cmd: ['sh', '-c', `echo early-$((40+2)) # ${how}`] })
      const pane = await start(
        `'${TONGS}' call run_shell '${args}' --root . --set tools.shell.ask=before --set tools.output.style=json ${how}`,
      )
      const screen = await pane.until(/^ended with \d+$/m)
      expect(screen).not.toMatch(/^early-42$/m)
      expect(screen).toMatch(/"stdout":"early-42\\n"/)
    },
  )
})
