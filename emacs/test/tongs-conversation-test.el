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
          (should (derived-mode-p 'tongs-diff-mode))
          (should (string-search "+new" (buffer-string)))
          (tongs-test-press "y")))
      (tongs-test-shown session "Done.")
      (tongs-test-idle session)
      (should (equal "new\n" (tongs-test-get "a.txt")))
      (should (string-match-p "^✓ write_file a.txt  [0-9.]+ m?s$" (tongs-test-text session)))
      (tongs-test-at session "✓ write_file")
      (should (eq 'success (get-text-property (point) 'face)))
      (should (equal "" (with-current-buffer (tongs-session-buffer session) (tongs-view-typed)))))))

(ert-deftest tongs-test-cancels-a-turn ()
  (tongs-test-with (tongs-test-endless-turns "Never.")
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
      (tongs-test-run session "read it" "Read.")
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

(defun tongs-test-imenu (session)
  "Return what `imenu' offers in SESSION to a person."
  (let (offered (imenu-use-popup-menu nil))
    (with-current-buffer (tongs-session-buffer session)
      (cl-letf (((symbol-function 'completing-read)
                 (lambda (_prompt names &rest _) (setq offered (mapcar #'car names)) nil)))
        (imenu-choose-buffer-index)))
    (delete "*Rescan*" offered)))

(ert-deftest tongs-test-lists-turns-and-has-a-menu ()
  (tongs-test-with (list (tongs-test-says "First.") (tongs-test-says "Second.")) nil
    (let ((session (tongs-test-open)))
      (tongs-test-run session "say one" "First.")
      (should (equal '("say one") (tongs-test-imenu session)))
      (tongs-test-run session "say two" "Second.")
      (with-current-buffer (tongs-session-buffer session)
        (should (equal '("say one" "say two") (tongs-test-imenu session)))
        (imenu "say one")
        (should (looking-at "> say one"))
        (should (eq #'tongs-menu (key-binding "?")))
        (should-error (insert "x") :type 'text-read-only)
        (goto-char (point-max))
        (should (eq #'self-insert-command (key-binding "?")))))))

(ert-deftest tongs-test-recalls-what-was-sent ()
  (tongs-test-with (list (tongs-test-says "First.") (tongs-test-says "Second.")) nil
    (let ((session (tongs-test-open)))
      (pcase-dolist (`(,prompt ,answer) '(("say one" "First.") ("say\ntwo" "Second.")))
        (tongs-test-run session prompt answer))
      (with-current-buffer (tongs-session-buffer session)
        (goto-char (point-max))
        (insert "half")
        (pcase-dolist (`(,key ,typed) '(("M-p" "say\ntwo") ("M-p" "say one") ("M-n" "say\ntwo") ("M-n" "half")))
          (tongs-test-press key)
          (should (equal typed (tongs-view-typed))))
        (should-error (tongs-test-press "M-n") :type 'user-error)
        (should-error (tongs-view-recall 3) :type 'user-error)
        (should (equal "half" (tongs-view-typed)))))))

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
  (tongs-test-with (tongs-test-search-turns)
      '(("a.txt" . "hay\nneedle one\n") ("b.txt" . "hay\nhay\nneedle two\n"))
    (let ((session (tongs-test-open)))
      (tongs-test-run session "find it" "Found.")
      (should (string-search "a.txt:2: needle one" (tongs-test-text session)))
      (tongs-test-at session "b.txt:3")
      (save-window-excursion
        (tongs-test-press "RET")
        (should (looking-at "needle two")))
      (save-window-excursion
        (switch-to-buffer (tongs-session-buffer session))
        (goto-char (point-min))
        (let ((next-error-last-buffer (current-buffer)))
          ;; From the prompt, where a person is after a turn, too.
          (goto-char (point-max))
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
      (tongs-test-run session "test it" "One fails.")
      (should (string-match-p "^✗ run_tests .* 1 of 1 failed$" (tongs-test-text session)))
      (tongs-test-at session "sum-test.el")
      (save-window-excursion
        (tongs-test-press "RET")
        (should (equal "sum-test.el" (buffer-name)))))))

(ert-deftest tongs-test-places-are-pressed-with-the-mouse ()
  (tongs-test-with (tongs-test-search-turns)
      '(("a.txt" . "hay\nneedle one\n"))
    (let ((session (tongs-test-open)))
      (tongs-test-run session "find it" "Found.")
      (save-window-excursion
        (switch-to-buffer (tongs-session-buffer session))
        (tongs-test-at session "a.txt:2")
        (should (tongs-test-is-link))
        (tongs-test-click)
        (should (equal "a.txt" (buffer-name)))
        (should (looking-at "needle one"))))))

(ert-deftest tongs-test-header-says-how-a-command-ended ()
  (tongs-test-with (list (tongs-test-says "" '("c1" "run_shell" ((command . "sh -c 'exit 7'"))))
                         (tongs-test-says "" '("c2" "run_shell" ((command . "true"))))
                         (tongs-test-says "Both."))
      nil
    (setq tongs-preset "auto")
    (let ((session (tongs-test-open)))
      (tongs-test-type session "run them")
      (tongs-test-shown session "Both.")
      (should (string-match-p "^✗ run_shell sh -c .*  [0-9.]+ m?s  exit 7$" (tongs-test-text session)))
      (should (string-match-p "^✓ run_shell true  [0-9.]+ m?s$" (tongs-test-text session)))))
  (should (equal "3 passed" (tongs-view--summary '((total . 3) (passed . 3) (failed . 0) (errors . 0)))))
  (should (equal "ended by SIGKILL" (tongs-view--summary '((exit_code . nil) (signal . "SIGKILL"))))))

(ert-deftest tongs-test-unfolded-edit-is-a-diff ()
  (tongs-test-with (tongs-test-edit-turns "old" "new")
      '(("a.txt" . "old\n"))
    (setq tongs-preset "edits")
    (let ((session (tongs-test-open)))
      (tongs-test-run session "edit it" "Done.")
      (tongs-test-at session "✓ edit_file")
      (tongs-test-press "TAB")
      (should (re-search-forward "^    \\+new$" nil t))
      (should (eq 'diff-added (get-text-property (1- (point)) 'face)))
      (should (search-forward "\"path\": \"a.txt\"")))))

(ert-deftest tongs-test-delegated-calls-are-below-their-call ()
  (tongs-test-with nil '(("a.txt" . "one\n"))
    (let ((reads (list (tongs-test-says "" '("c" "read_file" ((path . "a.txt")))) (tongs-test-says "Read."))))
      (tongs-test-script (list (tongs-test-says "" '("d1" "delegate" ((task . "one")))
                                                '("d2" "delegate" ((task . "two"))))
                               (tongs-test-says "All done."))
                         `((one . ,reads) (two . ,reads))))
    (let ((session (tongs-test-open)))
      (tongs-test-run session "go" "All done.")
      (should (string-match-p
               "^✓ delegate .*one.*\n✓ ↳ read_file a.txt.*\n✓ delegate .*two.*\n✓ ↳ read_file a.txt"
               (tongs-test-text session)))
      (tongs-test-at session "✓ ↳ read_file")
      (should (equal "    " (get-text-property (point) 'line-prefix)))
      (tongs-test-at session "✓ delegate")
      (should-not (get-text-property (point) 'line-prefix))
      ;; The same when it is opened again.
      (tongs-test-leave session)
      (should (string-match-p "^✓ delegate .*one.*\n✓ ↳ read_file" (tongs-test-text (tongs-test-open)))))))

(ert-deftest tongs-test-header-line-says-that-an-answer-is-wanted ()
  (tongs-test-with (list tongs-test-write (tongs-test-says "Done.")) nil
    (let ((session (tongs-test-open)))
      (tongs-test-type session "write it")
      (with-current-buffer (tongs-session-buffer session)
        (should (string-search "Working" (tongs--header-line)))
        (let ((question (tongs-test-question session)))
          (should (string-search "Asks you (C-c C-a)" (tongs--header-line)))
          (with-current-buffer question (tongs-approve-once)))
        (tongs-test-idle session)
        (should (string-search "Ready" (tongs--header-line)))))))

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
      (tongs-test-run session "remember me" "I have said this.")
      (tongs-test-leave session))
    (let ((session (tongs-test-open)))
      (tongs-test-shown session "> remember me")
      (tongs-test-shown session "I have said this.")
      (should (equal "remember me" (tongs-session-title session)))
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
