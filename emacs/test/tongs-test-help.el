;;; tongs-test-help.el --- Conversations with a real agent  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A test gets a folder, a state folder and a model that plays a script; the
;; agent is the program of this checkout.

;;; Code:

(require 'ert)
(require 'tongs)

;; Tests press keys at once, and say so where that matters.
(setq tongs-answer-pause 0)

(defvar tongs-test-top nil "The folder of the test that is running.")
(defvar tongs-test-root nil "The root of the test that is running.")

(defconst tongs-test-program
  (expand-file-name "../../bin/tongs" (file-name-directory (or load-file-name buffer-file-name)))
  "The agent of this checkout.")

(defun tongs-test-put (name text)
  "Write TEXT into the file NAME of the root."
  (let ((file (expand-file-name name tongs-test-root))
        (coding-system-for-write 'utf-8-unix))
    (make-directory (file-name-directory file) t)
    (write-region text nil file nil 'silent)
    file))

(defun tongs-test-get (name)
  "Return the text of the file NAME of the root, or nil."
  (let ((file (expand-file-name name tongs-test-root)))
    (and (file-exists-p file)
         (with-temp-buffer (insert-file-contents file) (buffer-string)))))

(defun tongs-test-script (turns &optional delegates)
  "Make TURNS what the model says, and DELEGATES what it says for tasks.
DELEGATES is an alist of tasks and turns."
  (let ((file (expand-file-name "script.json" tongs-test-top)))
    (write-region (json-serialize
                   `((turns . ,(vconcat turns))
                     (delegates . ,(mapcar (pcase-lambda (`(,task . ,said)) (cons task (vconcat said)))
                                           delegates))))
                  nil file nil 'silent)
    (setq tongs-model (concat "script:" file))))

(defun tongs-test-says (text &rest calls)
  "Return a turn in which the model says TEXT and makes CALLS.
A call is a list of id, tool and arguments."
  `((text . ,text)
    (calls . ,(vconcat (mapcar (pcase-lambda (`(,id ,name ,args))
                                 `((id . ,id) (name . ,name) (args . ,args)))
                               calls)))))

(defun tongs-test-writing (id path)
  "Return a call with ID that writes PATH."
  `(,id "write_file" ((path . ,path) (content . "new\n"))))

(defconst tongs-test-reading (tongs-test-says "" '("r" "read_file" ((path . "a.txt"))))
  "A turn that reads a file, so that it may be changed.")

(defun tongs-test-edit (old new)
  "Return a turn that replaces OLD by NEW in the file that was read."
  (tongs-test-says "" `("e" "edit_file" ((path . "a.txt") (old . ,old) (new . ,new)))))

(defun tongs-test-write-turns (&optional last)
  "Return the turns of a model that writes a file and then says LAST, Done. if nil."
  (list (tongs-test-says "" (tongs-test-writing "c1" "a.txt"))
        (tongs-test-says (or last "Done."))))

(defun tongs-test-edit-turns (old new)
  "Return the turns of a model that reads a file, replaces OLD by NEW and is done."
  (list tongs-test-reading (tongs-test-edit old new) (tongs-test-says "Done.")))

(defun tongs-test-endless-turns (last)
  "Return the turns of a model that runs an endless command and then says LAST."
  (list (tongs-test-says "" '("c1" "run_shell" ((command . "echo begun; sleep 300"))))
        (tongs-test-says last)))

(defun tongs-test-search-turns ()
  "Return the turns of a model that searches for a needle."
  (list (tongs-test-says "I search." '("c1" "search" ((query . "needle"))))
        (tongs-test-says "Found.")))

(defun tongs-test-until (is-met what)
  "Wait until IS-MET returns non-nil, and return that; WHAT says what it is."
  (let* ((patience (/ (string-to-number (or (getenv "VITEST_PATIENCE_MS") "240000")) 1000.0))
         (until (+ (float-time) patience))
         found)
    (while (and (not (setq found (funcall is-met))) (< (float-time) until))
      (accept-process-output nil 0.02))
    (or found
        (ert-fail (list "It did not come" what
                        (mapcar (lambda (session)
                                  (list (tongs-test-text session) (tongs-agent-errors session)))
                                tongs--sessions))))))

(defun tongs-test-text (session)
  "Return the conversation of SESSION."
  (with-current-buffer (tongs-session-buffer session)
    (buffer-substring-no-properties (point-min) (point-max))))

(defun tongs-test-count (session text)
  "Return how often TEXT is in the conversation of SESSION."
  (1- (length (split-string (tongs-test-text session) (regexp-quote text)))))

(defun tongs-test-output (session)
  "Return the first buffer with the output of a call of SESSION."
  (car (hash-table-values (tongs-session-outputs session))))

(defun tongs-test-shown (session text)
  "Wait until TEXT is shown in SESSION."
  (tongs-test-until (lambda () (string-search text (tongs-test-text session))) text))

(defun tongs-test-idle (session)
  "Wait until no turn is running in SESSION."
  (tongs-test-until (lambda () (and (tongs-session-is-ready session)
                                    (not (tongs-session-is-busy session))))
                    "the end of the turn"))

(defun tongs-test-question (session)
  "Wait until SESSION asks something, and return the buffer."
  (tongs-test-until (lambda () (car (hash-table-values (tongs-session-questions session))))
                    "a question"))

(defun tongs-test-open (&optional is-new)
  "Open a conversation in the root, a new one if IS-NEW; return it when ready."
  (let* ((default-directory tongs-test-root)
         (session (buffer-local-value 'tongs-session (tongs is-new))))
    (tongs-test-idle session)
    session))

(defun tongs-test-type (session text)
  "Type TEXT into SESSION and send it."
  (with-current-buffer (tongs-session-buffer session)
    (goto-char (point-max))
    (insert text)
    (call-interactively (key-binding (kbd "C-c C-c")))))

(defun tongs-test-run (session text answer)
  "Type TEXT into SESSION, send it, and wait for ANSWER and the end of the turn."
  (tongs-test-type session text)
  (tongs-test-shown session answer)
  (tongs-test-idle session))

(defun tongs-test-one-question (session)
  "Send a prompt in SESSION, and go to the question that comes."
  (tongs-test-type session "go")
  (set-buffer (tongs-test-question session)))

(defun tongs-test-leave (session)
  "Kill the conversation of SESSION, and wait for the end of its agent."
  (let ((process (tongs-session-process session)))
    (kill-buffer (tongs-session-buffer session))
    (tongs-test-until (lambda () (not (process-live-p process))) "the end of the agent")))

(defun tongs-test-at (session text)
  "Go to TEXT in the conversation of SESSION."
  (set-buffer (tongs-session-buffer session))
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun tongs-test-press (key)
  "Press KEY in the current buffer."
  (call-interactively (or (key-binding (kbd key)) (ert-fail (format "%s is not bound" key)))))

(defun tongs-test--posn ()
  "Return the place of point in the selected window, as in an event."
  (list (selected-window) (point) '(0 . 0) 0 nil (point)))

(defun tongs-test-is-link ()
  "Return non-nil if a click at point follows a link."
  (and (get-char-property (point) 'mouse-face)
       (eq 'mouse-face (key-binding [follow-link]))))

(defun tongs-test-click ()
  "Click at point in the selected window."
  (funcall (key-binding [mouse-2]) (list 'mouse-2 (tongs-test--posn))))

(defvar tongs-test--folders nil
  "The folders of tests that have ended.")

(defun tongs-test--clear ()
  "Wait for the end of every agent, and remove the folders that they wrote to."
  (when tongs-test--folders
    (dolist (process (process-list))
      (when (string-prefix-p "tongs" (process-name process))
        (while (process-live-p process) (accept-process-output process 0.05)))))
  (dolist (folder tongs-test--folders) (delete-directory folder t)))

(add-hook 'kill-emacs-hook #'tongs-test--clear)

(defun tongs-test--clean-up ()
  "Tell every agent to end, and kill every buffer of the test.
The next test need not wait until they have ended."
  (dolist (session tongs--sessions)
    (when (buffer-live-p (tongs-session-buffer session))
      (kill-buffer (tongs-session-buffer session))))
  (setq tongs--sessions nil tongs--tools nil)
  (dolist (buffer (buffer-list))
    (when (or (string-prefix-p "*tongs" (buffer-name buffer))
              (let ((file (buffer-file-name buffer)))
                (and file (string-prefix-p tongs-test-top file))))
      (with-current-buffer buffer (set-buffer-modified-p nil))
      (kill-buffer buffer)))
  (push tongs-test-top tongs-test--folders))

(defmacro tongs-test-with (turns files &rest body)
  "Run BODY where the model says TURNS, in a root with FILES.
TURNS and FILES are evaluated; FILES is an alist of names and texts."
  (declare (indent 2) (debug t))
  `(let* ((tongs-test-top (file-name-as-directory (file-truename (make-temp-file "tongs-emacs" t))))
          (tongs-test-root (file-name-as-directory (expand-file-name "root" tongs-test-top)))
          (process-environment
           (append (list (concat "TONGS_STATE_DIR=" (expand-file-name "state" tongs-test-top))
                         (concat "HOME=" tongs-test-top)
                         (concat "XDG_CONFIG_HOME=" (expand-file-name "config" tongs-test-top)))
                   process-environment))
          (tongs-program tongs-test-program)
          (tongs-model nil)
          (tongs-preset nil)
          (tongs-arguments nil)
          (auth-sources nil)
          (project-find-functions nil)
          (inhibit-message t))
     (make-directory tongs-test-root)
     (pcase-dolist (`(,name . ,text) ,files) (tongs-test-put name text))
     (tongs-test-script ,turns)
     (unwind-protect (progn ,@body)
       (tongs-test--clean-up))))

(provide 'tongs-test-help)
;;; tongs-test-help.el ends here
