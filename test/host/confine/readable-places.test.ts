import { chmodSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { systemMounts, toolchainMounts } from '../../../src/host/confine/readable-places.ts'
import { findTrustedProgram } from '../../../src/host/confine/trusted-program.ts'
import { makeScratch } from '../../harness/scratch.ts'

const placesOf = (mounts: readonly { readonly at: string }[]): readonly string[] => mounts.map(({ at }) => at)

describe('what a sandboxed command can read', () => {
  it('of the system are its programs, and of /etc only what everybody may know', () => {
    const places = placesOf(systemMounts(false))
    expect(places).toContain('/usr')
    expect(places).toContain('/etc/passwd')
    expect(
      places.filter((place) =>
        /shadow|sudo|ssh|private|resolv|hosts|^\/(?:etc|var|root|home|run)$/.test(place),
      ),
    ).toEqual([])
    expect(placesOf(systemMounts(true))).toContain('/etc/resolv.conf')
  })

  it('of a toolchain are the parts that hold programs, and nothing that lies next to them', () => {
    const scratch = makeScratch()
    const home = scratch.folder('home/ada')
    for (const file of [
      'home/ada/.cargo/bin/cargo',
      'home/ada/.cargo/credentials.toml',
      'home/ada/.cargo/registry/x',
      'home/ada/.rustup/toolchains/x',
      'home/ada/.rustup/settings.toml',
      'home/ada/.cargo/bin/cargo-x',
      'home/ada/dotfiles/bin/tool',
      'home/ada/dotfiles/.ssh/id_rsa',
      'home/ada/dotfiles/git/credentials',
      'home/ada/dotfiles/src/x',
      'home/ada/dotfiles/notes.txt',
      'home/ada/.pyenv/shims/python',
      'home/ada/.pyenv/bin/pyenv',
      'home/ada/.pyenv/libexec/pyenv',
      'home/ada/.pyenv/versions/3.12/bin/python',
      'home/ada/.pyenv/version',
      'home/ada/.pyenv/.git/config',
      'home/ada/sdk/go/bin/go',
      'home/ada/sdk/go/pkg/tool/x',
      'home/ada/sdk/go/src/fmt/print.go',
      'home/ada/sdk/go/VERSION',
      'home/ada/sdk/go/private.txt',
      'home/ada/.local/bin/tool',
      'home/ada/.local/lib/x',
      'home/ada/.local/share/keyrings/login',
      'home/ada/.local/state/tongs/journal',
      'home/ada/bin/own',
      'home/ada/.nvm/versions/node/v24/bin/node',
      'home/ada/.nvm/versions/node/v24/lib/x',
      'opt/tool/bin/tool',
      'opt/tool/share/x',
      'opt/tool/etc/token',
      'opt/tool/.npmrc',
      'work/node_modules/.bin/x',
    ])
      scratch.file(file)
    const path = [
      ...[
        '.cargo/bin',
        '.local/bin/',
        'bin',
        '.nvm/versions/node/v24/bin',
        'dotfiles/bin',
        '.pyenv/shims',
        '.pyenv/bin',
        'sdk/go/bin',
      ].map((one) => `${home}/${one}`),
      scratch.at('opt/tool/bin'),
      scratch.at('work/node_modules/.bin'),
      '/usr/bin',
      'relative/bin',
      '',
      '/no/such/bin',
    ].join(':')
    const shown = [
      '.cargo/bin',
      '.cargo/registry',
      '.local/bin',
      '.local/lib',
      '.nvm/versions/node/v24/bin',
      '.nvm/versions/node/v24/lib',
      '.pyenv/bin',
      '.pyenv/libexec',
      '.pyenv/shims',
      '.pyenv/version',
      '.pyenv/versions',
      '.rustup/settings.toml',
      '.rustup/toolchains',
      'bin',
      'dotfiles/bin',
      'sdk/go/VERSION',
      'sdk/go/bin',
      'sdk/go/pkg',
      'sdk/go/src',
    ].map((one) => `${home}/${one}`)
    const places = placesOf(toolchainMounts(path, home, [scratch.at('work')]))
    expect(places.toSorted()).toEqual(
      [...shown, scratch.at('opt/tool/bin'), scratch.at('opt/tool/share')].toSorted(),
    )
  })

  it('through a link is shown at both of its ends', () => {
    const scratch = makeScratch()
    scratch.file('store/tool-1/bin/tool')
    scratch.link('opt/tool', scratch.at('store/tool-1'))
    const mounts = toolchainMounts(scratch.at('opt/tool/bin'), '/home/ada', [])
    expect(mounts).toEqual([
      { kind: 'read', at: scratch.at('opt/tool/bin'), from: scratch.at('store/tool-1/bin') },
      { kind: 'read', at: scratch.at('store/tool-1/bin') },
    ])
  })

  it('never is what a link in a prefix leads to elsewhere in the home folder', () => {
    const scratch = makeScratch()
    const home = scratch.folder('ada')
    scratch.file('ada/private/diary')
    scratch.file('opt/x/bin/tool')
    scratch.link('opt/x/lib', `${home}/private`)
    scratch.file('ada/y/bin/tool')
    scratch.file('ada/y/lib64/so')
    scratch.link('ada/y/lib', `${home}/y/lib64`)
    scratch.link('ada/y/share', `${home}/private`)
    scratch.link('ada/y/vendor', scratch.at('opt'))
    scratch.file('ada/.store/z/bin/tool')
    scratch.file('ada/.store/z/lib/so')
    scratch.link('opt/z', `${home}/.store/z`)
    const path = [scratch.at('opt/x/bin'), `${home}/y/bin`, scratch.at('opt/z/bin')].join(':')
    const places = placesOf(toolchainMounts(path, home, []))
    expect(places.filter((place) => place.includes('private'))).toEqual([])
    const shown = [
      'opt/x/bin',
      'ada/y/bin',
      'ada/y/lib',
      'ada/y/lib64',
      'ada/y/vendor',
      'opt/z/bin',
      'opt/z/lib',
    ]
    expect(places).toEqual(expect.arrayContaining(shown.map((name) => scratch.at(name))))
    expect(places).not.toContain(scratch.at('opt/x/lib'))
    expect(places).not.toContain(scratch.at('ada/y/share'))
  })

  it('never is the home folder or one that holds the system, though it stands on PATH', () => {
    const scratch = makeScratch()
    const home = scratch.folder('ada')
    scratch.file('ada/bin/x')
    const path = [`${home}/bin`, home, scratch.path, '/', '/etc', '/opt', '/usr'].join(':')
    expect(placesOf(toolchainMounts(path, home, []))).toEqual([`${home}/bin`])
  })

  it('never is such a folder by way of a link, nor one that holds the workspace', () => {
    const scratch = makeScratch()
    const home = scratch.folder('ada')
    scratch.file('ada/x/bin/tool')
    scratch.link('ada/tools', home)
    scratch.link('ada/x/lib', home)
    scratch.link('ada/x/libexec', '/')
    scratch.file('work/project/x')
    const path = [`${home}/tools`, `${home}/x/bin`, scratch.at('work')].join(':')
    const places = placesOf(toolchainMounts(path, home, [scratch.at('work/project')]))
    expect(places).toEqual([`${home}/x/bin`])
  })
})

describe('a program to be trusted', () => {
  it('is one that only root can have put there', () => {
    const scratch = makeScratch()
    const planted = scratch.file('bwrap', '#!/bin/sh\n')
    chmodSync(planted, 0o755)
    expect(findTrustedProgram([planted])).toBeNull()
    expect(findTrustedProgram([scratch.link('link', planted)])).toBeNull()
    expect(findTrustedProgram([scratch.at('missing'), '/usr/bin'])).toBeNull()
    expect(findTrustedProgram([planted, '/usr/bin/env'])).toBe('/usr/bin/env')
  })
})
