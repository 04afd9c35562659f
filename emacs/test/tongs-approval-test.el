;;; tongs-approval-test.el --- Questions and their answers  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Every way to answer, and every way not to.

;;; Code:

(require 'tongs-test-help)

(ert-deftest tongs-test-question-says-what-there-is-to-know ()
  (tongs-test-with (cons tongs-test-reading (tongs-test-write-turns))
      '(("a.txt" . "old\n"))
    (let ((session (tongs-test-open)))
      (tongs-test-one-question session)
      (dolist (text '("Risk: " "Asked because: " "Undo: " "-old" "+new" "  y  Allow once" "  l  Decide later"))
        (should (string-search text (buffer-string))))
      (should buffer-read-only)
      (should-not (buffer-modified-p))
      (should (eq #'describe-mode (key-binding "?")))
      (should-error (insert "x"))
      (should-not (eq (current-buffer) (window-buffer (selected-window)))))))

(ert-deftest tongs-test-question-about-a-command-says-what-confines-it ()
  (tongs-test-with (list (tongs-test-says "" '("c1" "run_shell" ((command . "echo made > made.txt"))))
                         (tongs-test-says "Done."))
      nil
    (let ((session (tongs-test-open)))
      (tongs-test-one-question session)
      (should (string-search "Confined by: " (buffer-string)))
      (should (string-search "undo" (buffer-string)))
      (tongs-test-press "y")
      (tongs-test-shown session "Done.")
      (tongs-test-idle session)
      (should (equal "made\n" (tongs-test-get "made.txt"))))))

;; A command is long enough for the middle of its summary to be left out.
(ert-deftest tongs-test-question-shows-every-argument-whole ()
  (let ((command (concat "echo start; " (apply #'concat (make-list 60 "true; "))
                         "echo in-the-middle; " (apply #'concat (make-list 60 "true; ")))))
    (tongs-test-with (list (tongs-test-says "" `("c1" "run_shell" ((cmd . ["sh" "-c" ,command])
                                                                   (env . ((PATH . "./other")))
                                                                   (network . t))))
                           (tongs-test-says "Done."))
        nil
      (let ((session (tongs-test-open)))
        (tongs-test-one-question session)
        (should (string-search (json-encode command) (buffer-string)))
        (should (string-search "\"PATH\":\"./other\"" (buffer-string)))
        (should (string-search "\n  cmd = " (buffer-string)))
        (should-not (string-search "```" (buffer-string)))
        (should-not truncate-lines)
        (should word-wrap)
        (tongs-test-press "l")
        (tongs-test-idle session)))))

;; What is in a block cannot end it, and what only looks like one is left as it is.
(ert-deftest tongs-test-blocks-are-indented-without-fences ()
  (pcase-dolist (`(,text ,drawn)
                 '(("Run\n\n```text\na = 1\nb = 2\n```\n\nRisk" "Run\n\n  a = 1\n  b = 2\n\nRisk")
                   ("````text\na = ```\n```\nb\n````" "  a = ```\n  ```\n  b")
                   ("```text\na\n```\nand\n```text\nb\n```\n" "  a\nand\n  b\n")
                   ("```text\nnever ended" "```text\nnever ended")
                   ("say ```text" "say ```text")))
    (should (equal drawn (tongs-ask--without-fences text)))))

(ert-deftest tongs-test-answer-leads-back-to-the-conversation ()
  (tongs-test-with (tongs-test-write-turns) nil
    (let ((session (tongs-test-open)))
      (save-window-excursion
        (tongs-test-type session "go")
        (let ((question (tongs-test-question session)))
          (delete-other-windows)
          (switch-to-buffer "*scratch*")
          (switch-to-buffer question))
        (tongs-test-press "y")
        (should (eq (tongs-session-buffer session) (window-buffer (selected-window))))
        (tongs-test-shown session "Done.")
        (tongs-test-idle session)))))

(ert-deftest tongs-test-yes-for-a-time-asks-once ()
  (tongs-test-with (list (tongs-test-says "" (tongs-test-writing "c1" "a.txt"))
                         (tongs-test-says "" (tongs-test-writing "c2" "b.txt"))
                         (tongs-test-says "Done."))
      nil
    (let ((session (tongs-test-open)))
      (tongs-test-one-question session)
      (tongs-test-press "t")
      (tongs-test-shown session "Done.")
      (tongs-test-idle session)
      (should (equal '("new\n" "new\n") (mapcar #'tongs-test-get '("a.txt" "b.txt")))))))

(ert-deftest tongs-test-yes-for-a-scope-asks-once ()
  (tongs-test-with (list (tongs-test-says "" (tongs-test-writing "c1" "a.txt"))
                         (tongs-test-says "" (tongs-test-writing "c2" "a.txt"))
                         (tongs-test-says "Done."))
      nil
    (let ((session (tongs-test-open)))
      (tongs-test-one-question session)
      (cl-letf (((symbol-function 'completing-read)
                 (lambda (_prompt names &rest _) (caar names))))
        (tongs-test-press "s"))
      (tongs-test-shown session "Done.")
      (tongs-test-idle session)
      (should (equal "new\n" (tongs-test-get "a.txt"))))))

(ert-deftest tongs-test-no-with-words-reaches-the-model ()
  (tongs-test-with (tongs-test-write-turns "Then not.")
      nil
    (let ((session (tongs-test-open)))
      (tongs-test-one-question session)
      (cl-letf (((symbol-function 'read-string) (lambda (&rest _) "use b.txt instead")))
        (tongs-test-press "d"))
      (tongs-test-shown session "Then not.")
      (should-not (tongs-test-get "a.txt"))
      (should (string-search "use b.txt instead" (tongs-test-text session))))))

(ert-deftest tongs-test-killed-question-waits-and-is-asked-again ()
  (tongs-test-with (tongs-test-write-turns)
      nil
    (let ((session (tongs-test-open)))
      (tongs-test-one-question session)
      (kill-buffer)
      (tongs-test-idle session)
      (should-not (tongs-test-get "a.txt"))
      (tongs-test-shown session "Waiting for approval")
      (should (string-match-p "^\\? write_file" (tongs-test-text session)))
      (with-current-buffer (tongs-session-buffer session) (tongs-test-press "C-c C-a"))
      (set-buffer (tongs-test-question session))
      (tongs-test-press "y")
      (tongs-test-shown session "Done.")
      (tongs-test-idle session)
      (should (equal "new\n" (tongs-test-get "a.txt"))))))

(ert-deftest tongs-test-asking-for-questions-never-disturbs-a-turn ()
  (tongs-test-with (tongs-test-write-turns)
      nil
    (let* ((default-directory tongs-test-root)
           (session (buffer-local-value 'tongs-session (tongs))))
      ;; Typed and sent before the agent is ready.
      (tongs-test-type session "go")
      (with-current-buffer (tongs-session-buffer session)
        (should-error (tongs-go-on) :type 'user-error))
      (let ((question (tongs-test-question session)))
        (with-current-buffer (tongs-session-buffer session)
          (save-window-excursion
            (tongs-pending)
            (should (eq question (window-buffer (selected-window)))))
          (should-error (tongs-go-on) :type 'user-error))
        (should (tongs-session-is-busy session))
        (with-current-buffer question (tongs-approve-once)))
      (tongs-test-shown session "Done.")
      (tongs-test-idle session)
      (with-current-buffer (tongs-session-buffer session)
        (should-error (tongs-pending) :type 'user-error))
      (should-not (string-search "still running" (tongs-test-text session)))
      (should-not (string-search "nothing to continue" (tongs-test-text session))))))

(ert-deftest tongs-test-question-takes-one-answer ()
  (tongs-test-with (tongs-test-write-turns)
      nil
    (let ((session (tongs-test-open)))
      (tongs-test-one-question session)
      (should-error (tongs-approve-scope "scope-99") :type 'user-error)
      (should-error (tongs-choose "no such") :type 'user-error)
      (with-temp-buffer (should-error (tongs-approve-once) :type 'user-error))
      (should-not (tongs-test-get "a.txt"))
      (let ((buffer (current-buffer)))
        (tongs-approve-once)
        (should-not (buffer-live-p buffer)))
      (tongs-test-shown session "Done."))))

(ert-deftest tongs-test-cancelled-turn-takes-its-question-away ()
  (tongs-test-with (tongs-test-write-turns "Never.")
      nil
    (let ((session (tongs-test-open)))
      (tongs-test-one-question session)
      (let ((buffer (current-buffer)))
        (with-current-buffer (tongs-session-buffer session) (tongs-test-press "C-c C-k"))
        (tongs-test-until (lambda () (not (buffer-live-p buffer))) "the end of the question"))
      (tongs-test-idle session)
      (should-not (tongs-test-get "a.txt")))))

(defconst tongs-test-numbers (mapconcat #'number-to-string (number-sequence 1 30) "\n")
  "Lines that are far enough apart for two hunks.")

(ert-deftest tongs-test-takes-the-hunks-that-are-left-in ()
  (tongs-test-with
      (list (tongs-test-says "" '("r" "read_file" ((path . "a.txt"))))
            (tongs-test-says
             "" `("c1" "write_file"
                  ((path . "a.txt")
                   (content . ,(string-replace "\n28\n" "\nLATE\n"
                                               (string-replace "\n2\n" "\nEARLY\n" (concat tongs-test-numbers "\n")))))))
            (tongs-test-says "Done."))
      `(("a.txt" . ,(concat tongs-test-numbers "\n")))
    (let ((session (tongs-test-open)))
      (tongs-test-one-question session)
      (should-error (tongs-toggle-hunk) :type 'user-error)
      (goto-char (point-max))
      (should-error (tongs-toggle-hunk) :type 'user-error)
      (should (string-search "h: hunk" header-line-format))
      (goto-char (point-min))
      (search-forward "+EARLY")
      (tongs-test-press "h")
      (search-forward "+LATE")
      (tongs-test-press "h")
      (should-error (tongs-approve-once) :type 'user-error)
      (tongs-test-press "h")
      (should (= 1 (cl-count-if (lambda (one) (overlay-get one 'tongs-left-out))
                                (overlays-in (point-min) (point-max)))))
      (tongs-test-press "y")
      (tongs-test-shown session "Done.")
      (tongs-test-idle session)
      (should (string-search "\nLATE\n" (tongs-test-get "a.txt")))
      (should (string-search "\n2\n" (tongs-test-get "a.txt")))
      (should (string-match-p "✓ write_file a\\.txt  [0-9.]+ m?s  in part\n" (tongs-test-text session))))))

(ert-deftest tongs-test-read-only-buffer-refuses-with-the-reason ()
  (tongs-test-with (cons tongs-test-reading (tongs-test-write-turns "Then not."))
      '(("a.txt" . "old\n"))
    (with-current-buffer (find-file-noselect (expand-file-name "a.txt" tongs-test-root))
      (setq buffer-read-only t))
    (let ((session (tongs-test-open)))
      (tongs-test-type session "go")
      (tongs-test-shown session "Then not.")
      (should (string-search "Buffer a.txt is read-only in Emacs" (tongs-test-text session)))
      (should (equal "old\n" (tongs-test-get "a.txt"))))))

(provide 'tongs-approval-test)
;;; tongs-approval-test.el ends here
