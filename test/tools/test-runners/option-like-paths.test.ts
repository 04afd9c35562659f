import { describe, expect, it } from 'vitest'
import { cargo } from '../../../src/tools/test-runners/cargo.ts'
import { unittest } from '../../../src/tools/test-runners/unittest.ts'

describe('a path whose last part looks like an option', () => {
  it.each([
    ['cargo', cargo, ['cargo', 'test'], 'tests/--config=evil.toml'],
    ['cargo', cargo, ['cargo', 'test'], 'src/-Zunstable.rs'],
    ['unittest', unittest, ['python3', '-m', 'unittest'], '-v_test.py'],
  ] as const)('is refused by %s', (_name, runner, argv, path) => {
    expect(runner.compose(argv, { is: 'path', path, isFolder: false }).ok).toBe(false)
  })

  it('control: other paths of cargo are taken', () => {
    expect(cargo.compose(['cargo', 'test'], { is: 'path', path: 'tests/a-b.rs', isFolder: false })).toEqual({
      ok: true,
      argv: ['cargo', 'test', '--no-fail-fast', '--color=never', '--test=a-b'],
    })
  })
})
