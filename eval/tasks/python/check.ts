import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const [, , root = ''] = process.argv
const program = `
import inflection as i
before = [(w, i.pluralize(w), i.singularize(w)) for w in ("person", "Person", "man", "cow", "kine", "zombie", "quiz", "moves")]
assert before[0][1] == "people" and before[1][1] == "People", before
assert i.singularize("people") == "person" and i.singularize("kine") == "cow"
i.add_irregular("c++er", "c++ers!")
i.add_irregular("a.b", "z(b")
assert i.pluralize("c++er") == "c++ers!", i.pluralize("c++er")
assert i.singularize("c++ers!") == "c++er", i.singularize("c++ers!")
assert i.pluralize("a.b") == "z(b" and i.singularize("z(b") == "a.b"
assert i.pluralize("axb") == "axbs", i.pluralize("axb")
for pair in (("", "x"), ("x", "")):
    try:
        i.add_irregular(*pair)
    except ValueError:
        continue
    raise AssertionError("an empty word is taken")
assert not hasattr(i, "_irregular")
assert before == [(w, i.pluralize(w), i.singularize(w)) for w, _, _ in before]
`
const run = spawnSync('python3', ['-B', '-c', program], { cwd: root, encoding: 'utf8' })
assert.equal(run.status, 0, run.stderr)
assert.match(readFileSync(join(root, 'docs/index.rst'), 'utf8'), /add_irregular/)
const tests = readFileSync(join(root, 'test_inflection.py'), 'utf8')
assert.match(tests, /add_irregular/)
assert.match(tests, /ValueError/)
const compiled = spawnSync(
  'python3',
  ['-B', '-c', 'import ast,sys; ast.parse(open("test_inflection.py").read())'],
  { cwd: root },
)
assert.equal(compiled.status, 0, 'test_inflection.py is not Python')
