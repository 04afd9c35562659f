/** The project in the pictures. */
export const FILES: Readonly<Record<string, string>> = {
  'total.el': `;;; total.el --- Totals of orders  -*- lexical-binding: t; -*-

(defun total-of (prices)
  "Return the sum of PRICES."
  (apply #'- prices))

(defun total-with-tax (prices rate)
  "Return the sum of PRICES with tax at RATE."
  (* (total-of prices) (+ 1 rate)))

(provide 'total)
;;; total.el ends here
`,
  'total-test.el': `;; -*- lexical-binding: t -*-
(require 'ert)
(require 'total)

(ert-deftest total-sums ()
  (should (= 6 (total-of '(1 2 3)))))
`,
}

const call = (id: string, name: string, args: object): object => ({ id, name, args })

/** What the model says in the pictures. */
export const TURNS: readonly object[] = [
  {
    text: 'I look where the total is made, and run the tests.',
    calls: [
      call('c1', 'search', { query: 'total-of' }),
      call('c2', 'read_file', { path: 'total.el' }),
      call('c3', 'run_tests', {}),
    ],
  },
  {
    text: '`total-of` subtracts where it should add.',
    calls: [
      call('c4', 'edit_file', { path: 'total.el', old: "(apply #'- prices)", new: "(apply #'+ prices)" }),
    ],
  },
  { text: 'It adds now; the order of `1`, `2` and `3` comes to 6.' },
  {
    text: 'I note what I saw on the way.',
    calls: [
      call('d1', 'todo_write', {
        action: 'create',
        title: 'Round the total to cents',
        location: { path: 'total.el', line: 9 },
      }),
      call('d2', 'todo_write', {
        action: 'create',
        title: 'Test the tax',
        location: { path: 'total-test.el', line: 5 },
      }),
    ],
  },
  { text: 'Two things are left: rounding, and a test of the tax.' },
]
