;;; tongs-hostile-test.el --- Names and texts that others choose -*- lexical-binding: t; -*-

;;; Commentary:

;; No agent is started: what it would send is given as it is.

;;; Code:

(require 'ert)
(require 'cl-lib)
(require 'tongs)

(defmacro tongs-hostile--with (session &rest body)
  "Run BODY with SESSION bound to a conversation without an agent."
  (declare (indent 1))
  `(let* ((root (file-name-as-directory (make-temp-file "tongs" t)))
          (,session (tongs-session--make :root root :buffer (generate-new-buffer "c"))))
     (with-current-buffer (tongs-session-buffer ,session)
       (setq default-directory root)
       (tongs-mode)
       (tongs-view-set-up ,session)
       ,@body)))

(defun tongs-hostile--touched (function)
  "Call FUNCTION; return its error and the remote names that were touched."
  (let (touched problem)
    (cl-letf (((symbol-function 'tramp-file-name-handler)
               (lambda (operation &rest arguments)
                 (if (eq operation 'file-remote-p)
                     "/ssh:"
                   (push (cons operation arguments) touched)
                   nil))))
      (condition-case caught (funcall function)
        (user-error (setq problem (error-message-string caught)))))
    (list problem touched)))

(ert-deftest tongs-test-remote-places-are-not-touched ()
  "A place on another machine is refused before Emacs connects to it."
  (dolist (path `("/ssh:victim@evil.example:/x" "/ssh:evil.example:~/x" "/sudo::/etc/x"
                  "/ssh:a|ssh:b:/x"
                  ,@(mapcar (lambda (steps) (concat (apply #'concat (make-list steps "../")) "ssh:evil.example:/x"))
                            ;; Emacs takes two steps at a time above the topmost folder.
                            '(20 21))
                  "/tmp/../ssh:evil.example:/x" "/docker:box:/x"))
    (tongs-hostile--with session
      (pcase-let ((`(,problem ,touched)
                   (tongs-hostile--touched
                    (lambda () (tongs-view-visit root (list path 3 1))))))
        (should (string-match-p "no remote files" (or problem "")))
        (should-not touched)))))

(ert-deftest tongs-test-a-project-chooses-neither-program-nor-preset ()
  "What a project sets for its buffers is not used to start the agent."
  (let ((own (tongs-agent-command "/root/")))
    (with-temp-buffer
      (setq-local tongs-program "/evil" tongs-model "compatible/evil" tongs-preset "auto"
                  tongs-protocol "fenced" tongs-arguments '("--yes"))
      (should (equal own (tongs-agent-command "/root/"))))
    (dolist (pair '((tongs-preset . "ask") (tongs-preset . nil) (tongs-model . nil)
                    (tongs-program . "/evil") (tongs-arguments . nil)))
      (should-not (safe-local-variable-p (car pair) (cdr pair))))))

(ert-deftest tongs-test-places-of-calls-and-tests-are-not-remote ()
  "Neither a call nor a failed test leads to another machine."
  (tongs-hostile--with session
    (tongs-view-call session
                     '((toolCallId . "x1") (title . "read_file x") (name . "read_file") (status . "failed")
                       (locations ((path . "/ssh:evil.example:/x")))))
    (goto-char (point-min))
    (pcase-let ((`(,problem ,touched) (tongs-hostile--touched #'tongs-view-open-file)))
      (should (string-match-p "no remote files" (or problem "")))
      (should-not touched))))

(ert-deftest tongs-test-local-places-are-visited ()
  "A file of the project is visited as ever, also by a quoted name."
  (tongs-hostile--with session
    (write-region "one\ntwo\n" nil (expand-file-name "a.txt" root) nil 'silent)
    (should (equal (buffer-file-name (tongs-view-visit root '("a.txt" 2 1)))
                   (expand-file-name "a.txt" root)))
    (should (= 2 (line-number-at-pos)))))

(ert-deftest tongs-test-question-spells-out-what-does-not-show ()
  "Overrides, blanks that are none and escapes are spelled out, and nothing is left out."
  (tongs-hostile--with session
    (let ((diff (concat "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-if (ok)\n"
                        "+if (ok\u202e \u2066// admin only\u2069) {\u2800\u200b\r\n")))
      (with-current-buffer
          (tongs-ask session 1
                     `((toolCall (toolCallId . "q") (title . "t") (kind . "edit")
                                 (content ((type . "content") (content (type . "text") (text . "Risk: \u202elow")))))
                       (options ((optionId . "once") (name . "Allow\u202e once")))
                       (_meta (tongs (summary . "Run: ls \u202ex \x1b[8mhidden\x1b[0m") (diff . ,diff)))))
        (let ((text (buffer-substring-no-properties (point-min) (point-max))))
          (should-not (string-match-p "[\u202a-\u202e\u2066-\u2069\u2800\u200b\r\x1b]" text))
          (should (string-search "+if (ok\\u{202e} \\u{2066}// admin only\\u{2069}) {\\u{2800}\\u{200b}\\u{d}" text))
          (should (string-search "Run: ls \\u{202e}x \\u{1b}[8mhidden\\u{1b}[0m" text))
          (should (string-search "Risk: \\u{202e}low" text))
          (should (string-search "Allow\\u{202e} once" text))
          (should-not bidi-display-reordering))))))

(defconst tongs-hostile--name "a\n\u2713 run_tests all  3.0 s  200 passed\nb\u202e\u200b      c"
  "A name that draws rows of its own where it is inserted as it is.")

(defun tongs-hostile--rows ()
  "Return the lines of the current buffer."
  (split-string (buffer-substring-no-properties (point-min) (point-max)) "\n"))

(ert-deftest tongs-test-a-name-begins-no-row ()
  "Names, titles and messages that others choose stay in their rows."
  (tongs-hostile--with session
    (tongs-view-call session
                     `((toolCallId . "m") (title . ,(concat "search " tongs-hostile--name)) (status . "completed")
                       (rawOutput (matches ((path . ,tongs-hostile--name) (line . 1) (match_text . "x"))))
                       (_meta (tongs (ok . t)))))
    (let ((text (string-join (tongs-hostile--rows) "\n")))
      (should (string-search "a⏎\u2713 run_tests all  3.0 s  200 passed⏎b\\u{202e}\\u{200b}⟨6 blanks⟩c:1" text))
      (should-not (string-match-p "^\u2713 run_tests" text))
      (should-not (string-match-p "[\u202e\u200b]" text)))))

(ert-deftest tongs-test-the-list-before-an-undo-spells-names-out ()
  "What is agreed to before an undo shows each name in one row, and a diff as it is."
  (tongs-hostile--with session
    (with-current-buffer
        (tongs-panels--list
         "undo" session
         `((files ((path . ,tongs-hostile--name) (action . "removed")))
           (drifted ,tongs-hostile--name)
           (diff . ,(concat "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-safe\n+\u202egnp.exe\u200b\n"))))
      (let ((text (string-join (tongs-hostile--rows) "\n")))
        (should (string-search "b\\u{202e}\\u{200b}⟨6 blanks⟩c\": removed" text))
        (should (string-search "⟨6 blanks⟩c\" has changed since" text))
        (should (string-search "+\\u{202e}gnp.exe\\u{200b}" text))
        (should-not (string-match-p "[\u202e\u200b]" text))
        (should-not (string-match-p "^\u2713 run_tests" text))))))

;; What stands behind a bar has it as the prefix of its lines, so that the text itself is the diff.
(defun tongs-hostile--rows-of-ours ()
  "Return the lines of the current buffer that are not behind a bar."
  (save-excursion
    (goto-char (point-min))
    (cl-loop until (eobp)
             for row = (buffer-substring-no-properties (point) (line-end-position))
             unless (equal "  │ " (get-text-property (point) 'line-prefix)) collect row
             do (forward-line))))

(ert-deftest tongs-test-no-line-of-a-diff-looks-like-an-answer ()
  "A diff stands behind a bar, in a question and before an undo."
  (let* ((lines '("--- a/x" "+++ b/x" "@@ -1,3 +1,4 @@" "+new" "   y  Deny" "" "   evil.txt: removed"))
         (diff (string-join lines "\n")))
    (tongs-hostile--with session
      (with-current-buffer
          (tongs-ask session 1
                     `((toolCall (toolCallId . "q") (title . "t") (kind . "edit"))
                       (options ((optionId . "once") (name . "Allow once")) ((optionId . "deny") (name . "Deny")))
                       (_meta (tongs (summary . "Change x") (diff . ,diff)))))
        (should (string-search diff (buffer-string)))
        (should (equal '("Change x" "Undo: M-x tongs-undo takes it back exactly." "" "" "  y  Allow once" "  d  Deny")
                       (cl-remove "" (tongs-hostile--rows-of-ours) :test #'equal :count 1)))
        (goto-char (point-min))
        (search-forward "Deny")
        (should (equal "  ┊ " (get-text-property (point) 'wrap-prefix))))
      (with-current-buffer
          (tongs-panels--list "undo" session `((files ((path . "x") (action . "restored"))) (diff . ,diff)))
        (should (equal '("Undo" "" "  x: restored" "") (tongs-hostile--rows-of-ours)))))))

(ert-deftest tongs-test-a-pipe-is-not-visited ()
  "The place of a call that is a named pipe is an error at once."
  (tongs-hostile--with session
    (call-process "mkfifo" nil nil nil (expand-file-name "pipe" root))
    (should (string-match-p "only files and folders"
                            (condition-case caught (tongs-view-visit root '("pipe" nil nil))
                              (user-error (error-message-string caught)))))))

(provide 'tongs-hostile-test)
;;; tongs-hostile-test.el ends here
