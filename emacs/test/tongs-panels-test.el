;;; tongs-panels-test.el --- Output, tasks, regions and tools  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What is beside a conversation.

;;; Code:

(require 'tongs-test-help)

(ert-deftest tongs-test-output-has-a-buffer-and-is-harmless ()
  (tongs-test-with
      (list (tongs-test-says "" '("c1" "run_shell" ((command . "printf 'red \\033[31mone\\033[0m\\a\\n'; printf 'two\\n'"))))
            (tongs-test-says "Done."))
      nil
    (setq tongs-preset "auto")
    (let ((session (tongs-test-open)))
      (tongs-test-type session "run it")
      (tongs-test-shown session "Done.")
      (tongs-test-at session "[output]")
      (save-window-excursion
        (tongs-test-press "RET")
        (let ((buffer (tongs-test-output session)))
          (should (get-buffer-window buffer))
          (should (string-prefix-p "*tongs output: run_shell printf" (buffer-name buffer)))
          (with-current-buffer buffer
            (should (equal "red one\ntwo\n" (buffer-string)))
            (should (equal ":done" mode-line-process))
            (should-not (buffer-modified-p))
            (should (eobp)))
          (kill-buffer (tongs-session-buffer session))
          (should-not (buffer-live-p buffer)))))))

(ert-deftest tongs-test-output-is-followed-while-the-command-runs ()
  (tongs-test-with
      (list (tongs-test-says "" '("c1" "run_shell" ((command . "seq 200; while [ ! -e more ]; do sleep 0.05; done; seq 201 400; while [ ! -e end ]; do sleep 0.05; done"))))
            (tongs-test-says "Done."))
      nil
    (setq tongs-preset "auto" tongs-arguments '("--set" "tools.shell.layer=off"))
    (let ((session (tongs-test-open)))
      (tongs-test-type session "run it")
      (tongs-test-shown session "[output]")
      (save-window-excursion
        (delete-other-windows)
        (switch-to-buffer (tongs-session-buffer session))
        (tongs-test-at session "[output]")
        (tongs-test-press "RET")
        (let* ((buffer (tongs-test-output session))
               (window (get-buffer-window buffer))
               (reading (split-window window)))
          (should (equal ":running" (buffer-local-value 'mode-line-process buffer)))
          (tongs-test-until (lambda () (with-current-buffer buffer (string-search "\n200\n" (buffer-string)))) "200")
          (should (= (window-point window) (with-current-buffer buffer (point-max))))
          ;; Who reads above is left there.
          (set-window-point reading 10)
          (tongs-test-put "more" "")
          (tongs-test-until (lambda () (with-current-buffer buffer (string-search "\n400\n" (buffer-string)))) "400")
          (should (= (window-point window) (with-current-buffer buffer (point-max))))
          (should (= (window-point reading) 10))
          (tongs-test-put "end" "")
          (tongs-test-shown session "Done."))))))

(ert-deftest tongs-test-output-keeps-its-end ()
  (let* ((session (tongs-session--make :root "/" :buffer (generate-new-buffer "*tongs test*")))
         (tongs-output-characters 110))
    (unwind-protect
        (with-current-buffer (tongs-panels-output session "x" (concat (make-string 80 ?a) "\nfirst of these\n"))
          (tongs-panels-output session "x" (concat (make-string 80 ?b) "\nlast\n"))
          (should (equal (concat "first of these\n" (make-string 80 ?b) "\nlast\n") (buffer-string)))
          (should (eobp)))
      (tongs-panels-close session)
      (kill-buffer (tongs-session-buffer session)))))

(ert-deftest tongs-test-tasks-jump-to-places-that-exist ()
  (tongs-test-with
      (list (tongs-test-says "" '("c1" "todo_write" ((action . "create") (title . "sweep")
                                                     (location . ((path . "a.txt") (line . 2)))))
                             '("c2" "todo_write" ((action . "create") (title . "lost")
                                                  (location . ((path . "b.txt") (line . 90))))))
            (tongs-test-says "Noted."))
      '(("a.txt" . "one\ntwo\n") ("b.txt" . "one\n"))
    (let ((session (tongs-test-open)))
      (tongs-test-run session "plan" "Noted.")
      (save-window-excursion
        (set-buffer (with-current-buffer (tongs-session-buffer session) (tongs-tasks)))
        (should (eq (current-buffer) (window-buffer (selected-window))))
        (goto-char (point-min))
        (search-forward "a.txt:2")
        (backward-char)
        (save-window-excursion
          (should (tongs-test-is-link))
          (tongs-test-click)
          (should (looking-at "two")))
        (set-buffer (tongs-tasks--buffer session))
        (goto-char (point-min))
        (search-forward "sweep")
        (save-current-buffer
          (tongs-test-press "RET")
          (should (looking-at "two")))
        (goto-char (point-min))
        (search-forward "lost")
        (should-error (tongs-test-press "RET") :type 'user-error)
        (delete-file (expand-file-name "a.txt" tongs-test-root))
        (kill-buffer "a.txt")
        (set-buffer (tongs-tasks--buffer session))
        (goto-char (point-min))
        (search-forward "sweep")
        (should-error (tongs-test-press "RET") :type 'user-error)))))

(ert-deftest tongs-test-asks-about-a-region-and-edits-it ()
  (tongs-test-with
      (list (tongs-test-says "They are two.")
            (tongs-test-says "" '("r" "read_file" ((path . "a.txt"))))
            (tongs-test-says "" '("e" "edit_region" ((path . "a.txt") (start_line . 2) (end_line . 2)
                                                     (expected . "two\n") (new_content . "2\n"))))
            (tongs-test-says "Edited."))
      '(("a.txt" . "one\ntwo\nthree\n"))
    (setq tongs-preset "edits")
    (let ((session (tongs-test-open)))
      (with-current-buffer (find-file-noselect (expand-file-name "a.txt" tongs-test-root))
        (let ((default-directory tongs-test-root))
          (tongs-ask-about-region 5 8 "what is it?")
          (tongs-test-shown session "They are two.")
          (tongs-test-idle session)
          (tongs-edit-region 5 8 "use digits")
          (tongs-test-shown session "Change lines 2 to 2 of a.txt")
          (tongs-test-shown session "Edited.")
          (tongs-test-idle session))
        (should (equal "one\n2\nthree\n" (buffer-string))))
      ;; The model was given the lines: the log has them.
      (tongs-test-leave session)
      (tongs-test-shown (tongs-test-open) "a.txt#L2-L2:\n```\ntwo\n```"))))

(ert-deftest tongs-test-functions-become-tools ()
  (tongs-test-with
      (list (tongs-test-says "" '("c1" "open_buffers" ((prefix . "x"))))
            (tongs-test-says "" '("c2" "fails" nil))
            (tongs-test-says "Called."))
      nil
    (let (given)
      (tongs-register-tool "open_buffers" (lambda (args) (setq given args) "x1 x2")
                           "The names of buffers."
                           '((type . "object") (properties . ((prefix . ((type . "string"))))))
                           "read")
      (let ((session (tongs-test-open)))
        ;; One that comes later is known too.
        (tongs-register-tool "fails" (lambda (_args) (error "It broke")) "Fails.")
        (tongs-test-type session "call them")
        (tongs-test-until
         (lambda ()
           (when-let ((question (car (hash-table-values (tongs-session-questions session)))))
             (with-current-buffer question (tongs-approve-once)))
           (string-search "Called." (tongs-test-text session)))
         "the end of the calls")
        (should (equal '((prefix . "x")) given))
        (should (string-match-p "^✓ open_buffers" (tongs-test-text session)))
        (should (string-match-p "^✗ fails" (tongs-test-text session)))
        (should (string-search "It broke" (tongs-test-text session)))))))

(ert-deftest tongs-test-tool-that-comes-during-a-turn-is-known-to-the-next ()
  (tongs-test-with
      (list (tongs-test-says "" '("c1" "write_file" ((path . "a.txt") (content . "new\n"))))
            (tongs-test-says "First.")
            (tongs-test-says "" '("c2" "late" nil))
            (tongs-test-says "Second."))
      nil
    (let ((session (tongs-test-open)))
      (tongs-test-type session "go")
      (let ((question (tongs-test-question session)))
        (tongs-register-tool "late" (lambda (_args) "here") "Comes late.")
        (with-current-buffer question (tongs-approve-once)))
      (tongs-test-shown session "First.")
      (tongs-test-idle session)
      (tongs-test-type session "call it")
      (with-current-buffer (tongs-test-question session) (tongs-approve-once))
      (tongs-test-shown session "Second.")
      (should (string-match-p "^✓ late" (tongs-test-text session))))))

(ert-deftest tongs-test-program-is-asked-while-it-waits ()
  (tongs-test-with nil nil
    (let ((default-directory tongs-test-root) (noninteractive nil) (keys '(?y ?l)))
      (tongs-test-open)
      (cl-letf (((symbol-function 'read-char-choice) (lambda (&rest _) (pop keys))))
        (tongs-call "write_file" '((path . "a.txt") (content . "new\n")))
        (should (equal "new\n" (tongs-test-get "a.txt")))
        (should-error (tongs-call "write_file" '((path . "b.txt") (content . "new\n"))) :type 'tongs-error)
        (should-not (tongs-test-get "b.txt"))))))

(ert-deftest tongs-test-programs-call-tools ()
  (tongs-test-with nil '(("a.txt" . "one\n"))
    (let ((default-directory tongs-test-root))
      (tongs-test-open)
      (should (string-search "one" (tongs-get (tongs-call "read_file" '((path . "a.txt"))) 'content)))
      (let ((problem (should-error (tongs-call "read_file" '((path . "none.txt"))) :type 'tongs-error)))
        (should (stringp (nth 1 problem)))
        (should (nth 2 problem)))
      (should-error (tongs-call "no_such_tool" nil) :type 'tongs-error)
      ;; Without a person a question waits, and nothing is written.
      (let ((problem (should-error (tongs-call "write_file" '((path . "b.txt") (content . "x")))
                                   :type 'tongs-error)))
        (should (equal "approval_required" (nth 2 problem))))
      (should-not (tongs-test-get "b.txt")))))

(ert-deftest tongs-test-functions-that-cannot-be-tools-are-refused ()
  (let ((tongs--tools nil) (tongs--sessions nil))
    (pcase-dolist (`(,name ,function ,description ,schema ,effect)
                   '(("Bad Name" ignore "Does." nil nil)
                     (nil ignore "Does." nil nil)
                     ("good" 5 "Does." nil nil)
                     ("good" ignore " " nil nil)
                     ("good" ignore nil nil nil)
                     ("good" ignore "Does." ((type . object)) nil)
                     ("good" ignore "Does." nil "edit")))
      (should-error (tongs-register-tool name function description schema effect)))
    (should-not tongs--tools)
    (tongs-register-tool "good" #'ignore "Does.")
    (should (assoc "good" tongs--tools))
    (tongs-register-tool "good" nil "")
    (should-not tongs--tools)))

(ert-deftest tongs-test-name-that-is-taken-is-said ()
  (tongs-test-with (list (tongs-test-says "Still here.")) nil
    (tongs-register-tool "read_file" #'ignore "Not the one you know.")
    (let ((session (tongs-test-open)))
      (tongs-test-shown session "There is a tool read_file already.")
      (tongs-test-type session "hello")
      (tongs-test-shown session "Still here."))))

(ert-deftest tongs-test-program-that-stops-waiting-ends-its-call ()
  (tongs-test-with nil '(("a.txt" . "one\n"))
    (setq tongs-preset "auto")
    (let ((default-directory tongs-test-root) (session (tongs-test-open)))
      (should (eq 'gone
                  (catch 'gone
                    (cl-letf (((symbol-function 'tongs--ask-now) #'ignore))
                      (advice-add 'tongs-panels-output :after
                                  (lambda (&rest _) (run-at-time 0 nil (lambda () (throw 'gone 'gone))))
                                  '((name . tongs-test-gone)))
                      (unwind-protect
                          (tongs-call "run_shell" '((cmd . ["sh" "-c" "echo begun; sleep 300"])))
                        (advice-remove 'tongs-panels-output 'tongs-test-gone))))))
      (tongs-test-until
       (lambda () (string-match-p "^✗ run_shell" (tongs-test-text session)))
       "the end of the command")
      (should (string-search "one" (tongs-get (tongs-call "read_file" '((path . "a.txt"))) 'content))))))

(ert-deftest tongs-test-program-is-told-that-the-agent-has-ended ()
  (tongs-test-with nil nil
    (setq tongs-preset "auto")
    (let ((default-directory tongs-test-root) (session (tongs-test-open)))
      (advice-add 'tongs-panels-output :after
                  (lambda (&rest _) (signal-process (tongs-session-process session) 'SIGKILL))
                  '((name . tongs-test-kill)))
      (unwind-protect
          (let ((problem (should-error (tongs-call "run_shell" '((cmd . ["sh" "-c" "echo begun; sleep 300"])))
                                       :type 'tongs-error)))
            (should (equal "agent_ended" (nth 2 problem)))
            (should (string-search "tongs-recover" (car (nth 3 problem)))))
        (advice-remove 'tongs-panels-output 'tongs-test-kill))
      (should (equal "agent_ended"
                     (nth 2 (should-error (tongs-call "read_file" '((path . "a.txt"))) :type 'tongs-error)))))))

(ert-deftest tongs-test-program-cannot-call-during-a-turn ()
  (tongs-test-with (tongs-test-write-turns)
      nil
    (let ((default-directory tongs-test-root) (session (tongs-test-open)))
      (tongs-test-type session "go")
      (let ((question (tongs-test-question session)))
        (cl-letf (((symbol-function 'tongs--ask-now) #'ignore))
          (should-error (tongs-call "list_files" nil) :type 'tongs-error))
        (should (buffer-live-p question))
        (with-current-buffer question (tongs-approve-once)))
      (tongs-test-shown session "Done."))))

(provide 'tongs-panels-test)
;;; tongs-panels-test.el ends here
