;;; tongs-conversation-test.el --- Conversations and their calls  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Each test is a person at Emacs, a real agent, and a model with a script.

;;; Code:

(require 'tongs-test-help)

(defconst tongs-test-write
  (tongs-test-says "I write it." '("c1" "write_file" ((path . "a.txt") (content . "new\n"))))
  "A turn that writes a file.")

(ert-deftest tongs-test-asks-in-a-diff-and-lands-after-a-yes ()
  (tongs-test-with (list tongs-test-write (tongs-test-says "Done.")) nil
    (let ((session (tongs-test-open)))
      (tongs-test-type session "write it")
      (let ((question (tongs-test-question session)))
        (tongs-test-shown session "I write it.")
        (should (string-search "? write_file a.txt" (tongs-test-text session)))
        (should-not (tongs-test-get "a.txt"))
        (with-current-buffer question
          (should (derived-mode-p 'diff-mode))
          (should (string-search "+new" (buffer-string)))
          (tongs-test-press "y")))
      (tongs-test-shown session "Done.")
      (tongs-test-idle session)
      (should (equal "new\n" (tongs-test-get "a.txt")))
      (should (string-match-p "^✓ write_file a.txt  [0-9.]+ m?s$" (tongs-test-text session)))
      (should (equal "" (with-current-buffer (tongs-session-buffer session) (tongs-view-typed)))))))

(ert-deftest tongs-test-cancels-a-turn ()
  (tongs-test-with (list (tongs-test-says "Wait." '("c1" "run_shell" ((command . "echo begun; sleep 300"))))
                         (tongs-test-says "Never."))
      nil
    (let ((session (tongs-test-open)))
      (should-error (with-current-buffer (tongs-session-buffer session) (tongs-cancel)) :type 'user-error)
      (tongs-test-type session "go")
      (tongs-test-shown session "[output]")
      (with-current-buffer (tongs-session-buffer session) (tongs-test-press "C-c C-k"))
      (tongs-test-shown session "Cancelled.")
      (tongs-test-idle session)
      (should (string-match-p "^✗ run_shell" (tongs-test-text session)))
      (should-not (string-search "Never." (tongs-test-text session))))))

(ert-deftest tongs-test-folds-a-result-and-visits-its-file ()
  (tongs-test-with (list (tongs-test-says "I read." '("c1" "read_file" ((path . "a.txt") (start_line . 2))))
                         (tongs-test-says "Read."))
      '(("a.txt" . "one\ntwo\nthree\n"))
    (let ((session (tongs-test-open)))
      (tongs-test-type session "read it")
      (tongs-test-shown session "Read.")
      (tongs-test-idle session)
      (with-current-buffer (tongs-session-buffer session)
        (should-not (string-search "\"content\"" (buffer-string)))
        (tongs-test-at session "✓ read_file")
        (tongs-test-press "TAB")
        (should (string-search "\"content\"" (buffer-string)))
        (tongs-test-press "RET")
        (should-not (string-search "\"content\"" (buffer-string)))
        (should (looking-at "✓ read_file"))
        (save-window-excursion
          (tongs-test-press "o")
          (should (equal "a.txt" (file-name-nondirectory buffer-file-name)))
          (should (looking-at "two")))))))

(ert-deftest tongs-test-lists-turns-and-has-a-menu ()
  (tongs-test-with (list (tongs-test-says "First.") (tongs-test-says "Second.")) nil
    (let ((session (tongs-test-open)))
      (tongs-test-type session "say one")
      (tongs-test-shown session "First.")
      (tongs-test-idle session)
      (tongs-test-type session "say two")
      (tongs-test-shown session "Second.")
      (tongs-test-idle session)
      (with-current-buffer (tongs-session-buffer session)
        (let ((index (funcall imenu-create-index-function)))
          (should (equal '("say one" "say two") (mapcar #'car index)))
          (goto-char (cdar index))
          (should (looking-at "> say one")))
        (should (eq #'tongs-menu (key-binding "?")))
        (should-error (insert "x") :type 'text-read-only)
        (goto-char (point-max))
        (should (eq #'self-insert-command (key-binding "?")))))))

(ert-deftest tongs-test-keeps-what-is-typed-while-text-comes ()
  (tongs-test-with (list (tongs-test-says "Here is a long answer.")) nil
    (let ((session (tongs-test-open)))
      (tongs-test-type session "go")
      (with-current-buffer (tongs-session-buffer session)
        (insert "and nxt")
        (backward-char 2))
      (tongs-test-shown session "long answer.")
      (tongs-test-idle session)
      (with-current-buffer (tongs-session-buffer session)
        (should (equal "and nxt" (tongs-view-typed)))
        (should (looking-at "xt\\'"))))))

(ert-deftest tongs-test-search-rows-are-places ()
  (tongs-test-with (list (tongs-test-says "I search." '("c1" "search" ((query . "needle"))))
                         (tongs-test-says "Found."))
      '(("a.txt" . "hay\nneedle one\n") ("b.txt" . "hay\nhay\nneedle two\n"))
    (let ((session (tongs-test-open)))
      (tongs-test-type session "find it")
      (tongs-test-shown session "Found.")
      (tongs-test-idle session)
      (should (string-search "a.txt:2: needle one" (tongs-test-text session)))
      (tongs-test-at session "b.txt:3")
      (save-window-excursion
        (tongs-test-press "RET")
        (should (looking-at "needle two")))
      (save-window-excursion
        (switch-to-buffer (tongs-session-buffer session))
        (goto-char (point-min))
        (let ((next-error-last-buffer (current-buffer)))
          (next-error)
          (should (equal "a.txt" (buffer-name (window-buffer (selected-window)))))
          (with-current-buffer "a.txt" (should (looking-at "needle one")))
          (next-error)
          (should (equal "b.txt" (buffer-name (window-buffer (selected-window)))))
          (previous-error)
          (should (equal "a.txt" (buffer-name (window-buffer (selected-window))))))))))

(ert-deftest tongs-test-failed-tests-are-places ()
  (tongs-test-with (list (tongs-test-says "I test." '("c1" "run_tests" nil))
                         (tongs-test-says "One fails."))
      '(("sum.el" . "(defun sum (a b) (- a b))\n(provide 'sum)\n")
        ("sum-test.el" . ";; -*- lexical-binding: t -*-\n(require 'ert)\n(require 'sum)\n
(ert-deftest sum-adds ()\n  (should (= 3 (sum 1 2))))\n"))
    (setq tongs-preset "auto")
    (let ((session (tongs-test-open)))
      (tongs-test-type session "test it")
      (tongs-test-shown session "One fails.")
      (tongs-test-idle session)
      (tongs-test-at session "sum-test.el")
      (save-window-excursion
        (tongs-test-press "RET")
        (should (equal "sum-test.el" (buffer-name)))))))

(ert-deftest tongs-test-shows-an-error-with-what-to-do ()
  (tongs-test-with (list (tongs-test-says "I read." '("c1" "read_file" ((path . "none.txt"))))
                         (tongs-test-says "It is not there."))
      nil
    (let ((session (tongs-test-open)))
      (tongs-test-type session "read it")
      (tongs-test-shown session "It is not there.")
      (should (string-match-p "^✗ read_file none.txt.*\n    .+\n    - .+" (tongs-test-text session)))
      (tongs-test-at session "✗ read_file")
      (should-error (tongs-test-press "o") :type 'user-error))))

(ert-deftest tongs-test-goes-on-with-the-last-conversation ()
  (tongs-test-with (list (tongs-test-says "I have said this.")) nil
    (let ((session (tongs-test-open)))
      (tongs-test-type session "remember me")
      (tongs-test-shown session "I have said this.")
      (tongs-test-idle session)
      (let ((process (tongs-session-process session)))
        (kill-buffer (tongs-session-buffer session))
        (tongs-test-until (lambda () (not (process-live-p process))) "the end of the agent")))
    (let ((session (tongs-test-open)))
      (tongs-test-shown session "> remember me")
      (tongs-test-shown session "I have said this.")
      (should (eq session (tongs-test-open)))
      (should-not (string-search "remember" (tongs-test-text (tongs-test-open t)))))))

(ert-deftest tongs-test-says-what-to-do-without-a-model ()
  (tongs-test-with nil nil
    (setq tongs-model nil)
    (let* ((process-environment (append '("ANTHROPIC_API_KEY" "OPENAI_API_KEY" "GEMINI_API_KEY")
                                        process-environment))
           (session (tongs-test-open)))
      (tongs-test-type session "hello")
      (tongs-test-shown session "tongs setup"))))

(provide 'tongs-conversation-test)
;;; tongs-conversation-test.el ends here
