import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findNpmRegistry } from '../../../../src/host/fs/caches/npm-registry.ts'

/** A home folder and a workspace, each with settings of npm. */
function places(ofUser: string | null, ofProject: string | null = null) {
  const top = mkdtempSync(join(tmpdir(), 'tongs-npm-'))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const [home, root] = [join(top, 'home'), join(top, 'root')]
  for (const [folder, text] of [
    [home, ofUser],
    [root, ofProject],
  ] as const) {
    mkdirSync(folder)
    if (text !== null) writeFileSync(join(folder, '.npmrc'), text)
  }
  return { home, root }
}

const find = (ofUser: string | null, ofProject: string | null = null, env: Record<string, string> = {}) => {
  const { home, root } = places(ofUser, ofProject)
  return findNpmRegistry(env, home, root)
}

describe('the registry of npm', () => {
  it.for([
    ['registry=https://npm.example/\n', 'https://npm.example/'],
    [
      '//npm.example/:_authToken=npm_secret\n registry = "https://npm.example/api/npm/all"\n',
      'https://npm.example/api/npm/all',
    ],
    [
      'registry=https://one.example\r\nregistry=https://two.example:8443/npm-virtual/\r\n',
      'https://two.example:8443/npm-virtual/',
    ],
    ['registry=http://127.0.0.1:4873/\n[other]\nregistry=https://other.example/\n', 'http://127.0.0.1:4873/'],
    ['; registry=https://npm.example/\n#registry=https://npm.example/\n', null],
    ['@scope:registry=https://npm.example/\n', null],
    ['cache=/tmp\n', null],
  ] as const)('is read from %j', ([text, expected]) => {
    expect(find(text)).toBe(expected)
  })

  it('comes from the variable, then the project, then the person', () => {
    const [user, project] = ['registry=https://user.example/', 'registry=https://project.example/']
    expect(find(user, project, { npm_config_registry: 'https://named.example/' })).toBe(
      'https://named.example/',
    )
    expect(find(user, project)).toBe('https://project.example/')
    expect(find(user, 'save-exact=true')).toBe('https://user.example/')
    expect(find(null)).toBeNull()
  })

  it.for([
    'https://me:hunter22@npm.example/',
    'https://token@npm.example/',
    'https://npm.example/?token=abc',
    'https://npm.example/#abc',
    'https://dl.example/q7Zk3XbW9fTt2LmC/npm/',
    'https://npm.example/npm_0123456789abcdefghijABCDEFGHIJ0123456789/',
    'https://npm.example/${NPM_TOKEN}/',
    'file:///home/me/packages',
    'not an address',
  ])('is kept back if it may give a secret away: %s', (address) => {
    expect(find(`registry=${address}\n`)).toBeNull()
    expect(find(null, null, { npm_config_registry: address })).toBeNull()
  })

  it.each(['\n', ' ', ' \n', '[', 'registry'])(
    'is looked for in a file full of %j, which ends soon',
    (piece) => {
      expect(find(null, piece.repeat(1_000_000 / piece.length))).toBeNull()
      expect(find(null, `registry=${piece.repeat(1_000_000 / piece.length)}`)).toBeNull()
    },
  )
})
