import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const [, , root = ''] = process.argv
const program = `(progn
  (require 'anaphora)
  (anaphora--install-traditional-aliases)
  (unless (equal (eval '(let ((list (list 1 2 3)) (out nil)) (awhile list (push (car it) out) (pop list)) out) t) '(3 2 1))
    (error "awhile is wrong"))
  (let ((value (eval '(let ((out nil)) (list (adolist (list 1 2 nil 3) (push it out) (push 'x out)) out)) t)))
    (unless (equal value '(nil (x 3 x nil x 2 x 1))) (error "adolist is wrong: %S" value)))
  (unless (equal (eval '(let ((out 0)) (anaphoric-dolist '(1 2) (setq out (+ out it))) out) t) 3) (error "sum"))
  (when (featurep 'cl) (error "cl is loaded")))`
const emacs = (...args: readonly string[]) =>
  spawnSync('emacs', ['-Q', '--batch', '-L', root, ...args], { cwd: root, encoding: 'utf8' })
const run = emacs('--eval', program)
assert.equal(run.status, 0, run.stderr)
const text = readFileSync(join(root, 'anaphora.el'), 'utf8')
assert.match(text, /^;; +`adolist'$/m, 'the commentary does not list adolist')
assert.match(readFileSync(join(root, 'ert-tests/anaphora-test.el'), 'utf8'), /dolist/)
const tests = emacs(
  '-l',
  'ert-tests/anaphora-test.el',
  '--eval',
  '(ert-run-tests-batch-and-exit "while\\\\|dolist")',
)
assert.equal(tests.status, 0, tests.stderr)
