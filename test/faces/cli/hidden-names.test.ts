import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeOf, makeMachine, outputOf, USERS } from './machine.ts'
import { someOf } from '../../harness/long-run.ts'

const SECRET = 'secret 4711\n'

describe('denied names are hidden from commands', () => {
  it.for(someOf(USERS, 1))('in everything that is called .git, as %s', async (user) => {
    const { at, put, sh } = makeMachine(user)
    execFileSync('git', ['init', '-q', at('work')])
    const files = [
      '.git/credentials',
      '.git/.env',
      '.git/deep/.ssh/key',
      '.git/modules/lib/credentials',
      '.git/worktrees/one/id_rsa',
      'sub/.git/objects/key.pem',
    ]
    for (const file of files) put(`work/${file}`, SECRET)
    const { stdout } = outputOf(await sh(`cat ${files.join(' ')}; git branch work.key && git status`))
    expect(stdout).not.toContain('4711')
    const works = outputOf(
      await sh(
        'git config user.name; git -c user.name=a -c user.email=b commit -q --allow-empty -m one && git log --oneline',
      ),
    )
    expect(works.stdout).toMatch(/^[0-9a-f]+ one$/m)
  })

  it.for(someOf(USERS, 1))('in the folder of the main work tree, as %s', async (user) => {
    const { at, put, sh } = makeMachine(user)
    const git = (folder: string, ...words: readonly string[]) =>
      execFileSync('git', ['-C', at(folder), '-c', 'user.name=a', '-c', 'user.email=b', ...words])
    mkdirSync(at('main'))
    git('main', 'init', '-q')
    git('main', 'commit', '-q', '--allow-empty', '-m', 'one')
    git('main', 'worktree', 'add', '-q', at('work/tree'))
    put('main/.git/credentials', SECRET)
    const seen = outputOf(
      await sh('cat ../../main/.git/credentials; git log --oneline', { root: at('work/tree') }),
    )
    expect(seen.stdout).toMatch(/^[0-9a-f]+ one$/m)
    expect(seen.stdout).not.toContain('4711')
  })

  it.for(someOf(['311', '644', '000', '111'], 2))(
    'in a folder that cannot be looked into, with the mode %s',
    async (mode) => {
      const { at, put, sh } = makeMachine('ordinary')
      put('work/shut/.env', SECRET)
      put('work/open/.env', SECRET)
      chmodSync(at('work/shut'), Number.parseInt(mode, 8))
      const seen = outputOf(await sh('cat */.env; chmod 755 shut; cat */.env; echo ran'))
      expect(seen.stdout).toBe('ran\n')
    },
  )

  it('below a folder whose name is not UTF-8', async () => {
    const { at, sh } = makeMachine('root')
    mkdirSync(at('work/sub'))
    const odd = Buffer.concat([Buffer.from(`${at('work/sub')}/`), Buffer.from([0xff])])
    mkdirSync(odd)
    mkdirSync(Buffer.concat([odd, Buffer.from('/deep')]))
    expect(outputOf(await sh('cd sub/*/deep && echo in')).stdout).toBe('in\n')
    writeFileSync(Buffer.concat([odd, Buffer.from('/deep/.env')]), SECRET)
    expect(outputOf(await sh('cat sub/*/deep/.env; echo ran')).stdout).toBe('ran\n')
  })

  it('at the end of a path that is too long for any program', async () => {
    const { at, sh } = makeMachine('root')
    const enter = 'for (1 .. 24) { mkdir "d" x 200; chdir "d" x 200 or exit }'
    execFileSync('perl', ['-e', `${enter} open F, ">.env"; print F "${SECRET.trim()}"`], { cwd: at('work') })
    const seen = outputOf(await sh(`perl -e '${enter} open F, ".env"; print <F>'; echo ran`))
    expect(seen.stdout).toBe('ran\n')
  })

  it('or no command runs, if only the whole root could be hidden', async () => {
    const { at, sh } = makeMachine('root')
    const odd = Buffer.concat([Buffer.from(`${at('work')}/`), Buffer.from([0xff])])
    mkdirSync(odd)
    writeFileSync(Buffer.concat([odd, Buffer.from('/.env')]), SECRET)
    const refused = await sh('true')
    expect(codeOf(refused)).toBe('not_allowed')
    expect(JSON.stringify(refused)).toContain(join(at('work')))
  })
})
