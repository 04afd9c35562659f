;;; tongs-agent-test.el --- The process, its keys and its end  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Agents that are killed, folders that are elsewhere, and keys.

;;; Code:

(require 'tongs-test-help)

(ert-deftest tongs-test-says-that-the-agent-was-killed-and-recovers ()
  (tongs-test-with (tongs-test-endless-turns "Recovered.")
      nil
    (let ((session (tongs-test-open)))
      (tongs-test-type session "go")
      (tongs-test-shown session "[output]")
      (let ((id (tongs-session-id session)))
        (signal-process (tongs-session-process session) 'SIGKILL)
        (tongs-test-shown session "The agent has ended")
        (should (string-match-p "^! run_shell" (tongs-test-text session)))
        (with-current-buffer (tongs-test-output session)
          (should (equal ":interrupted" mode-line-process)))
        (with-current-buffer (tongs-session-buffer session)
          (goto-char (point-max))
          (insert "still here")
          (should-error (tongs-send) :type 'user-error)
          (should (equal "still here" (tongs-view-typed)))
          (cl-letf (((symbol-function 'completing-read) (lambda (&rest _) "resume")))
            (tongs-recover)))
        (should (equal id (tongs-session-id session))))
      (tongs-test-shown session "Recovered.")
      ;; It is said once, and nothing is offered that is under way.
      (should (= 1 (tongs-test-count session "The agent has ended")))
      (should (= 0 (tongs-test-count session "The last turn was interrupted"))))))

(ert-deftest tongs-test-interruption-can-be-discarded ()
  (tongs-test-with (tongs-test-endless-turns "Never.")
      nil
    (let ((session (tongs-test-open)))
      (tongs-test-type session "go")
      (tongs-test-shown session "[output]")
      (signal-process (tongs-session-process session) 'SIGKILL)
      (tongs-test-at session "> go")
      (tongs-test-shown session "[recover]")
      (tongs-test-at session "[recover]")
      (cl-letf (((symbol-function 'completing-read) (lambda (&rest _) "discard")))
        (tongs-test-press "RET"))
      (tongs-test-shown session "What was interrupted is discarded.")
      (should-not (string-search "Never." (tongs-test-text session)))
      (tongs-recover)
      (tongs-test-shown session "nothing was interrupted"))))

(ert-deftest tongs-test-question-waits-for-an-agent-that-is-started-again ()
  (tongs-test-with (tongs-test-write-turns) nil
    (let ((session (tongs-test-open)))
      (tongs-test-type session "go")
      (let ((question (tongs-test-question session)))
        (signal-process (tongs-session-process session) 'SIGKILL)
        (tongs-test-shown session "The agent has ended")
        (should-not (buffer-live-p question)))
      (should (string-match-p "^\\? write_file" (tongs-test-text session)))
      (should-not (tongs-test-get "a.txt"))
      (set-buffer (tongs-session-buffer session))
      (cl-letf (((symbol-function 'completing-read) (lambda (&rest _) "resume")))
        (tongs-recover))
      (unless (> (hash-table-count (tongs-session-questions session)) 0)
        (unless (tongs-session-is-busy session) (tongs-pending)))
      (with-current-buffer (tongs-test-question session) (tongs-approve-once))
      (tongs-test-shown session "Done.")
      (should (equal "new\n" (tongs-test-get "a.txt"))))))

;; Another Emacs, in which a question is open.

(defun tongs-test-ask-and-wait ()
  "Open a question, name the agent, and wait for the end; for another Emacs."
  (let ((session (buffer-local-value 'tongs-session (tongs))))
    (tongs-test-idle session)
    (tongs-test-type session "go")
    (tongs-test-question session)
    (princ (format "asked by %d\n" (process-id (tongs-session-process session)))
           #'external-debugging-output)
    (while t (accept-process-output nil 1)
           (when (file-exists-p "leave") (kill-emacs)))))

(defun tongs-test-ask-again-and-wait ()
  "Open a question that an Emacs before has left; otherwise the same."
  (let ((session (buffer-local-value 'tongs-session (tongs))))
    (tongs-test-idle session)
    (with-current-buffer (tongs-session-buffer session) (tongs-pending))
    (tongs-test-question session)
    (princ (format "asked by %d\n" (process-id (tongs-session-process session)))
           #'external-debugging-output)
    (while t (accept-process-output nil 1))))

(defun tongs-test-other-emacs (&optional function)
  "Start another Emacs that asks; return its process and the id of the agent.
FUNCTION is what it runs, `tongs-test-ask-and-wait' if nil."
  (let* ((here (file-name-directory (locate-library "tongs-agent-test.el")))
         (out (generate-new-buffer "*tongs other*"))
         (default-directory tongs-test-root)
         (process
          (make-process
           :name "other" :buffer out :noquery t :connection-type 'pipe
           :command (list (expand-file-name invocation-name invocation-directory) "-Q" "--batch"
                          "-L" (expand-file-name ".." here) "-L" here "-l" "tongs-agent-test"
                          "--eval" (format "(setq tongs-program %S tongs-model %S project-find-functions nil)"
                                           tongs-program tongs-model)
                          "-f" (symbol-name (or function 'tongs-test-ask-and-wait))))))
    (cons process
          (tongs-test-until
           (lambda () (with-current-buffer out
                        (goto-char (point-min))
                        (and (re-search-forward "asked by \\([0-9]+\\)" nil t)
                             (string-to-number (match-string 1)))))
           "a question in the other Emacs"))))

(defun tongs-test-answer-here ()
  "Answer in this Emacs what was asked in the other one."
  (should-not (tongs-test-get "a.txt"))
  (let ((session (tongs-test-open)))
    (tongs-test-shown session "1 call waits for your approval")
    (should (string-match-p "^\\? write_file a.txt" (tongs-test-text session)))
    (tongs-test-at session "[decide]")
    (tongs-test-press "RET")
    (set-buffer (tongs-test-question session))
    (tongs-test-press "y")
    (tongs-test-shown session "Done.")
    (tongs-test-idle session)
    (should-not (string-search "nothing to continue" (tongs-test-text session)))
    (should (equal "new\n" (tongs-test-get "a.txt")))))

(ert-deftest tongs-test-question-survives-an-emacs-that-is-killed-and-a-second-one ()
  (tongs-test-with (tongs-test-write-turns) nil
    (dolist (function '(tongs-test-ask-and-wait tongs-test-ask-again-and-wait))
      (pcase-let ((`(,process . ,agent) (tongs-test-other-emacs function)))
        (signal-process process 'SIGKILL)
        (tongs-test-until (lambda () (null (process-attributes agent))) "the end of its agent")))
    (tongs-test-answer-here)))

(ert-deftest tongs-test-question-survives-an-emacs-that-is-left ()
  (tongs-test-with (tongs-test-write-turns) nil
    (pcase-let ((`(,process . ,agent) (tongs-test-other-emacs)))
      (tongs-test-put "leave" "")
      (tongs-test-until (lambda () (not (process-live-p process))) "the end of the other Emacs")
      (tongs-test-until (lambda () (null (process-attributes agent))) "the end of its agent"))
    (tongs-test-answer-here)))

(ert-deftest tongs-test-conversation-open-elsewhere-is-not-taken ()
  (tongs-test-with (tongs-test-write-turns) nil
    (let ((other (tongs-test-other-emacs)))
      (unwind-protect
          (let ((session (tongs-test-open)))
            (tongs-test-shown session "This is a new conversation.")
            (should-not (string-search "wait for your approval" (tongs-test-text session))))
        (signal-process (car other) 'SIGKILL)
        (tongs-test-until (lambda () (null (process-attributes (cdr other)))) "the end of its agent")))))

(ert-deftest tongs-test-program-that-is-missing-is-named ()
  (tongs-test-with nil nil
    (let ((tongs-program "no-such-tongs") (default-directory tongs-test-root))
      (should (string-search "no-such-tongs" (cadr (should-error (tongs) :type 'user-error))))
      (should-not tongs--sessions))))

(ert-deftest tongs-test-remote-folders-are-refused ()
  (let ((default-directory "/ssh:example.org:/srv/"))
    (should (string-search "remote" (cadr (should-error (tongs) :type 'user-error))))
    (should (string-search "remote" (cadr (should-error (tongs-doctor) :type 'user-error))))
    (should (string-search "remote" (cadr (should-error (tongs-call "list_files" nil) :type 'user-error))))
    (with-temp-buffer
      (setq buffer-file-name "/ssh:example.org:/srv/a.txt" default-directory "/ssh:example.org:/srv/")
      (insert "text")
      (should (string-search "remote" (cadr (should-error (tongs-ask-about-region 1 3 "what?") :type 'user-error))))
      (should (string-search "remote" (cadr (should-error (tongs-edit-region 1 3 "more") :type 'user-error))))
      (set-buffer-modified-p nil)
      (setq buffer-file-name nil))
    (should-not tongs--sessions)))

(ert-deftest tongs-test-keys-are-in-the-environment-only ()
  (tongs-test-with (list (tongs-test-says "Hello.")) nil
    (let* ((file (expand-file-name "authinfo" tongs-test-top))
           (auth-sources (list file))
           (process-environment (append '("ANTHROPIC_API_KEY" "OPENAI_API_KEY=set") process-environment)))
      (write-region (concat "machine api.anthropic.com login apikey password sk-secret-one\n"
                            "machine api.openai.com login apikey password sk-secret-two\n")
                    nil file nil 'silent)
      (auth-source-forget-all-cached)
      (let ((environment (tongs-agent--environment)))
        (should (member "ANTHROPIC_API_KEY=sk-secret-one" environment))
        (should-not (member "OPENAI_API_KEY=sk-secret-two" environment)))
      (let ((session (tongs-test-open)))
        (should-not (string-search "sk-secret" (string-join (process-command (tongs-session-process session)) " ")))
        (tongs-test-type session "hello")
        (tongs-test-shown session "Hello.")
        (dolist (buffer (buffer-list))
          (unless (equal file (buffer-file-name buffer))
            (with-current-buffer buffer
              (should-not (string-search "sk-secret" (buffer-string))))))))))

(ert-deftest tongs-test-doctor-says-what-is-there ()
  (tongs-test-with nil nil
    (let* ((default-directory tongs-test-root)
           (buffer (save-window-excursion (tongs-doctor))))
      (with-current-buffer buffer
        (should (string-search tongs-test-program (buffer-string))))
      (tongs-test-until (lambda () (not (get-buffer-process buffer))) "the end of the doctor")
      (with-current-buffer buffer
        (should (> (count-lines (point-min) (point-max)) 8))))))

(ert-deftest tongs-test-torn-and-odd-lines-are-survived ()
  (let* ((heard nil)
         (session (tongs-session--make
                   :on-notification (lambda (_session method _params) (push method heard))))
         (inhibit-message t))
    (dolist (chunk '("{\"method\":\"o" "ne\"}\nnot json\n[1]\n{}\n{\"id\":99,\"result\":1}\n" "{\"method\":\"two\"}" "\n\n"))
      (tongs-agent--take session chunk)
      (cancel-timer (tongs-session-timer session))
      (setf (tongs-session-process session) nil)
      (cl-letf (((symbol-function 'tongs-agent-live-p) #'always))
        (while (progn (tongs-agent--work session) (tongs-session-lines session)))))
    (should (equal '("two" "one") heard))))

(provide 'tongs-agent-test)
;;; tongs-agent-test.el ends here
