;;; tongs.el --- A coding agent that asks before it acts  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;; Author: The Tongs authors
;; Maintainer: The Tongs authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))
;; Keywords: tools, convenience

;;; Commentary:

;; M-x tongs opens a conversation for the project you are in, or continues it.
;; Type below the line and send with C-c C-c; `?' above the line shows the menu.
;; Edits come as questions with a diff, unsaved buffers are read and changed in
;; place, and M-x tongs-undo takes back what was committed.

;;; Code:

(require 'imenu)
(require 'project)
(require 'transient)
(require 'tongs-agent)
(require 'tongs-view)
(require 'tongs-ask)
(require 'tongs-files)
(require 'tongs-panels)

(defcustom tongs-continue t
  "Whether a conversation goes on where the last one of its project ended."
  :type 'boolean
  :group 'tongs)

(defvar tongs--sessions nil
  "The conversations that are open.")

(defvar tongs--tools nil
  "Functions that are tools, each a plist under its name.")

(defvar tongs-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'tongs-send)
    (define-key map (kbd "C-c C-k") #'tongs-cancel)
    (define-key map (kbd "C-c C-a") #'tongs-pending)
    (define-key map (kbd "C-c C-u") #'tongs-undo)
    (define-key map (kbd "C-c C-r") #'tongs-redo)
    (define-key map (kbd "C-c C-t") #'tongs-tasks)
    (define-key map (kbd "C-c C-p") #'tongs-set-preset)
    (define-key map (kbd "M-p") #'tongs-view-recall)
    (define-key map (kbd "M-n") #'tongs-view-recall-next)
    (define-key map (kbd "C-c ?") #'tongs-menu)
    map)
  "Keys in a conversation.")

(let ((map tongs-view-map))
  (define-key map (kbd "TAB") #'tongs-view-fold)
  (define-key map (kbd "RET") #'tongs-view-press)
  (define-key map [mouse-2] #'tongs-view-press-mouse)
  (define-key map [follow-link] 'mouse-face)
  (define-key map "o" #'tongs-view-open-file)
  (define-key map "n" #'tongs-view-next-call)
  (define-key map "p" #'tongs-view-previous-call)
  (define-key map "?" #'tongs-menu))

(define-derived-mode tongs-mode text-mode "Tongs"
  "A conversation with the agent of a project.
Type below the line, and send with \\[tongs-send].

\\{tongs-mode-map}
Above the line:
\\{tongs-view-map}"
  (setq-local imenu-create-index-function #'tongs-view-turns)
  ;; Turns are added all the time, and their names are sentences.
  (setq-local imenu-auto-rescan t)
  (setq-local imenu-auto-rescan-maxout most-positive-fixnum)
  (setq-local imenu-space-replacement nil)
  (setq-local word-wrap t)
  ;; The prompt stays at the bottom while text comes, instead of jumping to the middle.
  (setq-local scroll-conservatively 101)
  (setq-local next-error-function #'tongs-view-next-error)
  (setq header-line-format '(:eval (tongs--header-line)))
  (add-hook 'kill-buffer-hook #'tongs--killed nil t))

(transient-define-prefix tongs-menu ()
  "What can be done in a conversation."
  [["Turn"
    ("s" "Send" tongs-send)
    ("k" "Cancel" tongs-cancel)
    ("a" "Questions that wait" tongs-pending)
    ("c" "Go on with an unfinished turn" tongs-go-on)]
   ["Call"
    ("TAB" "Fold" tongs-view-fold)
    ("o" "Visit its file" tongs-view-open-file)
    ("n" "Next" tongs-view-next-call :transient t)
    ("p" "Previous" tongs-view-previous-call :transient t)]
   ["Changes"
    ("u" "Undo" tongs-undo)
    ("r" "Redo" tongs-redo)
    ("t" "Tasks" tongs-tasks)]
   ["Agent"
    ("m" "Preset" tongs-set-preset)
    ("R" "Recover" tongs-recover)
    ("D" "Doctor" tongs-doctor)
    ("N" "New conversation" tongs-new)]])

;; Opening.

(defun tongs--root ()
  "Return the root of the project that the current buffer belongs to."
  (tongs-agent-refuse-remote default-directory)
  (let ((project (project-current nil)))
    (file-name-as-directory
     (expand-file-name (if project (project-root project) default-directory)))))

(defun tongs--find (root)
  "Return the open conversation of ROOT, or nil."
  (cl-find-if (lambda (session) (and (equal root (tongs-session-root session))
                                     (buffer-live-p (tongs-session-buffer session))))
              tongs--sessions))

;;;###autoload
(defun tongs (&optional is-new)
  "Open the conversation of this project, or go on with it.
With a prefix argument, or if IS-NEW, begin a new one."
  (interactive "P")
  (let ((session (tongs--open (if tongs-session (tongs-session-root tongs-session) (tongs--root))
                              is-new)))
    (pop-to-buffer (tongs-session-buffer session))
    (goto-char (point-max))
    (tongs-session-buffer session)))

(defun tongs-new ()
  "Begin a new conversation in this project."
  (interactive)
  (tongs t))

(defun tongs--open (root &optional is-new)
  "Return the conversation of ROOT, opened if it is not; a new one if IS-NEW."
  (let ((known (tongs--find root)))
    (cond ((and known (not is-new)) known)
          (t (when known (kill-buffer (tongs-session-buffer known)))
             (tongs--create root is-new)))))

(defun tongs--create (root is-new)
  "Open a conversation for ROOT; IS-NEW means do not go on with the last one."
  (let* ((buffer (generate-new-buffer
                  (format "*tongs: %s*" (file-name-nondirectory (directory-file-name root)))))
         (session (tongs-session--make
                   :root root :buffer buffer
                   :on-request #'tongs--on-request
                   :on-notification #'tongs--on-notification
                   :on-exit #'tongs--on-exit)))
    (condition-case problem
        (with-current-buffer buffer
          (setq default-directory root)
          (tongs-mode)
          (tongs-view-set-up session)
          (tongs-agent-start session))
      (error (kill-buffer buffer)
             (signal (car problem) (cdr problem))))
    (push session tongs--sessions)
    (tongs--introduce session
                      (lambda () (if (or is-new (not tongs-continue))
                                     (tongs--begin session)
                                   (tongs--continue session))))
    session))

(defun tongs--introduce (session then)
  "Say hello to the agent of SESSION, then call THEN."
  (tongs-agent-request
   session "initialize"
   '((protocolVersion . 1)
     (clientInfo . ((name . "emacs-tongs") (title . "Tongs for Emacs") (version . "0.1.0")))
     (clientCapabilities
      . ((fs . ((readTextFile . t) (writeTextFile . t)))
         (session . ((notices . nil)))
         (_meta . ((tongs . ((later . t) (tools . t) (output . t))))))))
   (lambda (_result) (funcall then))
   (lambda (problem) (tongs-view-problem session problem))))

(defconst tongs--no-model-needed '(_meta . ((tongs . ((model . "optional")))))
  "Opens a conversation even if there is no model: tools can be called without.")

(defun tongs--begin (session)
  "Begin a new session of the agent of SESSION."
  (tongs-agent-request
   session "session/new"
   `((cwd . ,(directory-file-name (tongs-session-root session))) (mcpServers . [])
     ,tongs--no-model-needed)
   (lambda (result)
     (setf (tongs-session-id session) (tongs-get result 'sessionId))
     (tongs--opened session result))
   (lambda (problem) (tongs-view-problem session problem))))

(defun tongs--continue (session)
  "Go on with the last session of the agent of SESSION, or begin one."
  (tongs-agent-request
   session "session/list" `((cwd . ,(directory-file-name (tongs-session-root session))))
   (lambda (result)
     (let ((last (cl-find-if (lambda (one) (string-prefix-p "acp-" (tongs-get one 'sessionId)))
                             (tongs-get result 'sessions))))
       (if last
           (progn
             (setf (tongs-session-title session) (tongs-get last 'title))
             (tongs--load session "session/load" (tongs-get last 'sessionId)
                        (lambda (problem)
                          ;; Such as another process that has it open.
                          (setf (tongs-session-title session) nil)
                          (tongs-view-problem session problem)
                          (tongs-view-notice session "This is a new conversation.")
                          (tongs--begin session))))
         (tongs--begin session))))
   (lambda (_problem) (tongs--begin session))))

(defun tongs--load (session method id otherwise)
  "Open session ID with METHOD for SESSION; call OTHERWISE if that fails."
  (setf (tongs-session-id session) id)
  (tongs-agent-request
   session method
   `((sessionId . ,id) (cwd . ,(directory-file-name (tongs-session-root session)))
     (mcpServers . []) ,tongs--no-model-needed)
   (lambda (result) (tongs--opened session result))
   otherwise))

(defun tongs--opened (session result)
  "Note that SESSION is open; RESULT is what the agent answered."
  (tongs--note-options session (tongs-get result 'configOptions))
  (setf (tongs-session-mode session) (tongs-get result 'modes 'currentModeId))
  (when-let ((waiting (tongs-get result '_meta 'tongs 'pending)))
    (dolist (question waiting)
      (tongs-view-note-waiting session (tongs-get question 'execution)))
    (tongs-view-offer session
                      (format "%s for your approval (C-c C-a)."
                              (tongs-view-count (length waiting) "call waits" "calls wait"))
                      "decide" #'tongs-pending))
  (when (and (tongs-get result '_meta 'tongs 'interrupted)
             (not (tongs-session-is-recovering session)))
    (tongs-view-offer session "The last turn was interrupted." "recover" #'tongs-recover))
  (if tongs--tools
      (tongs--register session)
    (tongs--make-ready session)))

(defun tongs--make-ready (session)
  "Do what has waited until the agent of SESSION is ready."
  (setf (tongs-session-is-ready session) t)
  (let ((waiting (reverse (tongs-session-waiting session))))
    (setf (tongs-session-waiting session) nil)
    (mapc #'funcall waiting)))

(defun tongs--when-ready (session act)
  "Call ACT once the agent of SESSION is ready."
  (if (tongs-session-is-ready session)
      (funcall act)
    (push act (tongs-session-waiting session))))

(defun tongs--note-options (session options)
  "Remember those OPTIONS of SESSION that are in the header line."
  (dolist (option options)
    (pcase (tongs-get option 'id)
      ("model" (setf (tongs-session-model session) (tongs-get option 'currentValue)))
      ("preset" (setf (tongs-session-mode session) (tongs-get option 'currentValue))))))

(defun tongs--header-line ()
  "Return the header line of a conversation."
  (when-let ((session tongs-session))
    (string-replace
     "%" "%%"
     (string-join
      (delq nil
            (list (cond ((not (tongs-agent-live-p session)) " Ended (M-x tongs-recover)")
                        ((> (hash-table-count (tongs-session-questions session)) 0)
                         " Asks you (C-c C-a)")
                        ((tongs-session-is-busy session) " Working (C-c C-k stops it)")
                        ((tongs-session-is-ready session) " Ready")
                        (t " Starting"))
                  (tongs-session-mode session)
                  (tongs-session-model session)
                  (tongs-session-usage session)
                  (tongs-session-title session)))
      "  "))))

(defun tongs--killed ()
  "End the agent of the conversation whose buffer is killed."
  (when-let ((session tongs-session))
    (setq tongs--sessions (delq session tongs--sessions))
    (tongs-ask-withdraw-all session)
    (tongs-panels-close session)
    (tongs-agent-stop session)))

(defun tongs--on-exit (session process)
  "Say in SESSION that PROCESS, its agent, has ended."
  (tongs-ask-withdraw-all session)
  (tongs-view-interrupt session)
  (dolist (call (hash-table-values (tongs-session-calls session)))
    (tongs-panels-note-end session call))
  (unless (tongs-session-is-closing session)
    (let ((errors (string-trim (tongs-agent-errors session))))
      (tongs-view-offer
       session
       (format "The agent has ended (%s %d).%s M-x tongs-recover starts it again."
               (process-status process) (process-exit-status process)
               (if (string-empty-p errors) ""
                 (concat "\n" (tongs-view-plain (truncate-string-to-width errors 1000)) "\n")))
       "recover" #'tongs-recover))))

;; What the agent sends.

(defun tongs--on-notification (session method params)
  "Handle METHOD with PARAMS, which the agent of SESSION has sent."
  (pcase method
    ("session/update" (tongs--on-update session (tongs-get params 'update)))
    ("_tongs/output"
     (tongs-panels-output session (tongs-get params 'execution) (tongs-get params 'chunk)))
    ("$/cancel_request" (tongs-ask-withdraw session (tongs-get params 'requestId)))))

(defun tongs--on-update (session update)
  "Show UPDATE of SESSION."
  (pcase (tongs-get update 'sessionUpdate)
    ("agent_message_chunk"
     (tongs-view-say session 'agent (or (tongs-get update 'content 'text) "")
                     (tongs-get update 'messageId)))
    ("agent_thought_chunk"
     (tongs-view-say session 'thought (or (tongs-get update 'content 'text) "")
                     (tongs-get update 'messageId)))
    ("user_message_chunk"
     (tongs-view-say session 'user (or (tongs-get update 'content 'text) "") (cl-gensym)))
    ((or "tool_call" "tool_call_update")
     (tongs-panels-note-end session (tongs-view-call session update))
     (when (equal (tongs-get update 'status) "completed") (tongs-files-follow session)))
    ("notice" (tongs-view-notice session (or (tongs-get update 'title) "")))
    ("plan" (tongs-panels-refresh-tasks session))
    ("usage_update"
     (let ((size (tongs-get update 'size)))
       (when (and size (> size 0))
         (setf (tongs-session-usage session)
               (format "%d%% of context" (/ (* 100 (tongs-get update 'used)) size))))))
    ("session_info_update" (setf (tongs-session-title session) (tongs-get update 'title)))
    ("current_mode_update" (setf (tongs-session-mode session) (tongs-get update 'currentModeId)))
    ("config_option_update" (tongs--note-options session (tongs-get update 'configOptions)))))

(defun tongs--on-request (session id method params)
  "Answer request ID of the agent of SESSION for METHOD with PARAMS."
  (pcase method
    ("session/request_permission" (tongs--on-question session id params))
    ("fs/read_text_file"
     (let* ((path (tongs-get params 'path))
            (text (tongs-files-read session path))
            (why (tongs-files-read-only path)))
       (tongs-agent-respond session id
                            `((content . ,text)
                              ,@(and why `((_meta . ((tongs . ((readOnly . ,why)))))))))))
    ("fs/write_text_file"
     (tongs-files-write session (tongs-get params 'path) (tongs-get params 'content))
     (tongs-agent-respond session id nil))
    ("_tongs/tools/call"
     (tongs-agent-respond session id
                          (tongs--run-tool session (tongs-get params 'name) (tongs-get params 'args))))
    (_ (tongs-agent-reject session id (format "There is no %s here" method) -32601))))

(defun tongs--on-question (session id params)
  "Ask about request ID of SESSION with PARAMS, unless a buffer is read-only."
  (let* ((changes (mapcar (lambda (part) (and (equal (tongs-get part 'type) "diff")
                                              (tongs-get part 'path)))
                          (tongs-get params 'toolCall 'content)))
         (why (seq-some #'tongs-files-read-only (delq nil changes))))
    (if (and why (cl-some (lambda (one) (equal "deny" (tongs-get one 'optionId)))
                          (tongs-get params 'options)))
        (progn
          (tongs-view-notice session (concat "Denied: " why "."))
          (tongs-agent-respond session id
                               `((outcome . ((outcome . "selected") (optionId . "deny")))
                                 (_meta . ((tongs . ((say . ,why))))))))
      (tongs-ask session id params))))

;; Turns.

(defun tongs--here ()
  "Return the conversation of this buffer or of its project."
  (or tongs-session
      (tongs--find (tongs--root))
      (user-error "There is no conversation in this project; M-x tongs opens one")))

(defun tongs-send ()
  "Send what is typed.  While a turn is running, it is told in between."
  (interactive)
  (unless tongs-session (user-error "This buffer is not a conversation"))
  (when (string-blank-p (tongs-view-typed)) (user-error "There is nothing to send"))
  (unless (tongs-agent-live-p tongs-session)
    (user-error "The agent is not running; M-x tongs-recover starts it again"))
  (tongs--prompt tongs-session (string-trim (tongs-view-take-typed)) nil))

(defun tongs--prompt (session text more)
  "Send TEXT to the agent of SESSION, followed by MORE, a list of blocks."
  (tongs--when-ready
   session
   (lambda ()
     (tongs-view-say session 'user text (cl-gensym))
     (if (tongs-session-is-busy session)
         (tongs-agent-request
          session "_tongs/steer" `((sessionId . ,(tongs-session-id session)) (text . ,text))
          (lambda (result)
            (unless (tongs-get result 'sent)
              (tongs-view-notice session "Nothing is running that could be told; send it again.")))
          (lambda (problem) (tongs-view-problem session problem)))
       (tongs--turn session "session/prompt"
                    `((prompt . ,(vconcat `(((type . "text") (text . ,text))) more))))))))

(defun tongs--turn (session method params)
  "Run METHOD with PARAMS as a turn of SESSION."
  (setf (tongs-session-is-busy session) t)
  (force-mode-line-update t)
  (let ((end (lambda ()
               (setf (tongs-session-is-busy session) nil)
               (tongs-files-follow session)
               (when (tongs-session-has-new-tools session) (tongs--register session))
               (force-mode-line-update t))))
    (tongs-agent-request
     session method `((sessionId . ,(tongs-session-id session)) ,@params)
     (lambda (result)
       (funcall end)
       (when (equal (tongs-get result 'stopReason) "cancelled")
         (tongs-view-notice session "Cancelled.")))
     (lambda (problem)
       (funcall end)
       (tongs-view-problem session problem)))))

(defun tongs-cancel ()
  "Stop the turn that is running."
  (interactive)
  (let ((session (tongs--here)))
    (unless (tongs-session-is-busy session) (user-error "Nothing is running"))
    (tongs-agent-notify session "session/cancel" `((sessionId . ,(tongs-session-id session))))))

(defun tongs-pending ()
  "Go to the question that is being asked, or be asked about what is waiting."
  (interactive)
  (let* ((session (tongs--here))
         (open (car (hash-table-values (tongs-session-questions session)))))
    (cond (open (tongs-ask-show open))
          ((tongs-session-is-busy session) (user-error "Nothing is asked"))
          ((not (tongs--has-waiting session)) (user-error "Nothing waits for an answer"))
          (t (tongs-go-on)))))

(defun tongs--has-waiting (session)
  "Return non-nil if something in SESSION has to be answered."
  (tongs--await session)
  (tongs-get (tongs-agent-wait session "_tongs/pending" `((sessionId . ,(tongs-session-id session))))
             'approvals))

(defun tongs-go-on ()
  "Go on with an unfinished turn, after the questions about it."
  (interactive)
  (let ((session (tongs--here)))
    (tongs--await session)
    (when (tongs-session-is-busy session) (user-error "Something is running already"))
    (tongs--turn session "_tongs/continue" nil)))

(defun tongs-set-preset (preset)
  "Use PRESET in this conversation from now on."
  (interactive (list (completing-read "Preset: " '("plan" "ask" "edits" "auto") nil t)))
  (let ((session (tongs--here)))
    (tongs-agent-wait session "session/set_mode"
                      `((sessionId . ,(tongs-session-id session)) (modeId . ,preset)))
    (setf (tongs-session-mode session) preset)))

(defun tongs--await (session)
  "Wait until the agent of SESSION is ready."
  (unless (tongs-session-is-ready session)
    (let ((reporter (and (tongs-agent-live-p session) (make-progress-reporter "Starting the agent..."))))
      (while (and (tongs-agent-live-p session) (not (tongs-session-is-ready session)))
        (accept-process-output (tongs-session-process session) 0.05))
      (when reporter (progress-reporter-done reporter))))
  (unless (tongs-session-is-ready session)
    (user-error "The agent did not start; see its conversation")))

;; Changes.

(defun tongs-undo (&optional is-turn)
  "Take back the newest change, after a list of its files.
With a prefix argument, or if IS-TURN, everything of the last turn."
  (interactive "P")
  (let ((session (tongs--here)))
    (tongs--await session)
    (tongs-panels-revert session "undo" (and is-turn '((turn . t))))))

(defun tongs-redo ()
  "Bring back what the last undo took back, after a list of its files."
  (interactive)
  (let ((session (tongs--here)))
    (tongs--await session)
    (tongs-panels-revert session "redo" nil)))

(defun tongs-tasks ()
  "List the work items of this conversation; RET visits their places."
  (interactive)
  (let ((session (tongs--here)))
    (tongs--await session)
    (tongs-panels-tasks session)))

;; Regions.

(defun tongs--region-block (start end)
  "Return the lines from START to END of this file as a block of a prompt."
  (unless buffer-file-name (user-error "This buffer visits no file"))
  `((type . "resource")
    (resource . ((uri . ,(format "file://%s#L%d-L%d" buffer-file-name
                                 (line-number-at-pos start t) (line-number-at-pos end t)))
                 (mimeType . "text/plain")
                 (text . ,(buffer-substring-no-properties start end))))))

(defun tongs--whole-lines (start end)
  "Return where the lines begin and end that START and END lie in."
  (save-excursion
    (cons (progn (goto-char start) (line-beginning-position))
          (progn (goto-char end)
                 (if (and (bolp) (> end start)) (1- end) (line-end-position))))))

(defun tongs--ask-about (start end text)
  "Send TEXT with the lines from START to END to the conversation of this project."
  (let* ((block (tongs--region-block start end))
         (session (tongs--open (tongs--root))))
    (display-buffer (tongs-session-buffer session))
    (tongs--prompt session text (list block))
    session))

;;;###autoload
(defun tongs-ask-about-region (start end question)
  "Ask QUESTION about the lines from START to END."
  (interactive "r\nsAsk about these lines: ")
  (pcase-let ((`(,from . ,to) (tongs--whole-lines start end)))
    (tongs--ask-about from to question)))

;;;###autoload
(defun tongs-edit-region (start end wish)
  "Have the lines from START to END changed by the model, according to WISH."
  (interactive "r\nsChange these lines: ")
  (pcase-let ((`(,from . ,to) (tongs--whole-lines start end)))
    (tongs--ask-about
     from to
     (format "Change lines %d to %d of %s, and nothing else: %s\nUse edit_region with these lines as expected."
             (line-number-at-pos from t) (line-number-at-pos to t)
             (file-relative-name (or buffer-file-name "") (tongs--root)) wish))))

;; Tools.

;;;###autoload
(defun tongs-register-tool (name function description &optional schema effect)
  "Make FUNCTION a tool called NAME, which DESCRIPTION describes to the model.
It is called with an alist of its arguments, in the root of the project, and
returns a string, or a hash table as a structured result.  SCHEMA is the JSON
Schema of its arguments, as `json-serialize' takes it.  EFFECT is \"read\" or
\"external\", the default; calls pass the same gates as those of any tool.
A nil FUNCTION removes the tool."
  (when function (tongs--check-tool name function description schema effect))
  (setq tongs--tools (assoc-delete-all name tongs--tools))
  (when function
    (push (cons name (list :function function :description description
                           :schema (or schema '((type . "object") (properties . nil)))
                           :effect (or effect "external")))
          tongs--tools))
  (dolist (session tongs--sessions)
    (if (and (tongs-session-is-ready session) (not (tongs-session-is-busy session)))
        (tongs--register session)
      (setf (tongs-session-has-new-tools session) t))))

(defun tongs--check-tool (name function description schema effect)
  "Signal an error if NAME with FUNCTION and so on cannot be a tool.
DESCRIPTION, SCHEMA and EFFECT are those of `tongs-register-tool'."
  (let ((case-fold-search nil))
    (unless (and (stringp name) (string-match-p "\\`[a-z][a-z0-9_]\\{0,47\\}\\'" name))
      (error "The name of a tool has small letters, digits and _, at most 48: %S" name)))
  (unless (functionp function) (error "Tool %s needs a function, not %S" name function))
  (unless (and (stringp description) (not (string-blank-p description)))
    (error "Tool %s needs a description" name))
  (unless (member effect '(nil "read" "external"))
    (error "The effect of tool %s is \"read\" or \"external\", not %S" name effect))
  (condition-case problem
      (json-serialize schema)
    (error (error "The schema of tool %s is not JSON: %s" name (error-message-string problem)))))

(defun tongs--register (session)
  "Tell the agent of SESSION about the tools; it is ready after that."
  (setf (tongs-session-is-ready session) nil
        (tongs-session-has-new-tools session) nil)
  (tongs-agent-request
   session "_tongs/tools/register"
   `((sessionId . ,(tongs-session-id session))
     (tools . ,(vconcat (mapcar (pcase-lambda (`(,name . ,tool))
                                  `((name . ,name)
                                    (description . ,(plist-get tool :description))
                                    (inputSchema . ,(plist-get tool :schema))
                                    (effect . ,(plist-get tool :effect))))
                                tongs--tools))))
   (lambda (_result)
     (if (tongs-session-has-new-tools session)
         (tongs--register session)
       (tongs--make-ready session)))
   (lambda (problem)
     (tongs-view-problem session problem)
     (tongs--make-ready session))))

(defun tongs--run-tool (session name args)
  "Run the tool NAME with ARGS for SESSION; return the result for the agent."
  (let ((tool (or (cdr (assoc name tongs--tools)) (error "There is no tool %s" name))))
    (condition-case problem
        (let* ((default-directory (tongs-session-root session))
               (result (funcall (plist-get tool :function) args)))
          (cond ((stringp result) `((text . ,(substring-no-properties result))))
                ((hash-table-p result) `((text . "") (structured . ,result)))
                (t `((text . ,(format "%S" result))))))
      (error `((text . ,(error-message-string problem)) (isError . t))))))

;;;###autoload
(defun tongs-call (name args)
  "Run the tool NAME with ARGS, an alist, through the gates of this project.
Return its result, an alist.  A call that fails is signalled as `tongs-error',
with the message, the code and a list of what to do about it.  If the call has
to be asked about, you are asked; without a person it keeps waiting."
  (let* ((session (tongs--open (if tongs-session (tongs-session-root tongs-session) (tongs--root))))
         (answer nil))
    (unless (tongs-agent-live-p session) (tongs-agent-signal tongs-agent--end))
    (tongs--await session)
    (tongs-agent-await
     session
     (tongs-agent-request session "_tongs/call"
                          `((sessionId . ,(tongs-session-id session)) (name . ,name) (args . ,args))
                          (lambda (result) (setq answer (cons t result)))
                          (lambda (problem) (setq answer (cons nil problem))))
     (lambda () answer)
     (lambda () (mapc #'tongs--ask-now (hash-table-values (tongs-session-questions session)))))
    (pcase answer
      (`(nil . ,problem) (tongs-agent-signal problem))
      (`(t . ,result) (if (tongs-get result 'ok)
                          (tongs-get result 'result)
                        (tongs-agent-signal (tongs-get result 'error)))))))

(defun tongs--ask-now (buffer)
  "Have the question in BUFFER answered while a program waits for it."
  (when (buffer-live-p buffer)
    (if noninteractive
        (kill-buffer buffer)
      (save-window-excursion
        (pop-to-buffer buffer)
        (pcase (read-char-choice "y once, d deny, l later: " '(?y ?d ?l))
          (?y (tongs-approve-once))
          (?d (call-interactively #'tongs-deny))
          (_ (tongs-decide-later)))))))

;; When something is wrong.

(defun tongs--start-again (session)
  "Start an agent for SESSION in place of one that has ended."
  (tongs-agent-start session)
  (setf (tongs-session-is-recovering session) t)
  (let ((id (tongs-session-id session)))
    (tongs--introduce
     session
     (lambda ()
       (if id
           (tongs--load session "session/resume" id
                        (lambda (problem) (tongs-view-problem session problem)))
         (tongs--begin session))))))

(defun tongs-recover ()
  "Start the agent of this conversation again, and settle what it left."
  (interactive)
  (let ((session (tongs--here)))
    (unless (tongs-agent-live-p session) (tongs--start-again session))
    (tongs--await session)
    (let* ((id `(sessionId . ,(tongs-session-id session)))
           (left (tongs-get (tongs-agent-wait session "_tongs/recover" (list id)) 'interrupted)))
      (setf (tongs-session-is-recovering session) nil)
      (if (null left)
          (tongs-view-notice session "The agent is running; nothing was interrupted.")
        (let ((choice (completing-read
                       (format "%s interrupted; resume with what has finished, or discard it (default resume)? "
                               (tongs-view-count (length (tongs-get left 'calls))
                                                 "call was" "calls were"))
                       '("resume" "discard") nil t nil nil "resume")))
          (tongs-agent-wait session "_tongs/recover" `(,id (choice . ,choice)))
          (tongs-files-follow session)
          (if (equal choice "resume")
              (tongs-go-on)
            (tongs-view-notice session "What was interrupted is discarded.")))))))

;;;###autoload
(defun tongs-doctor ()
  "Check that Tongs can work here, and say what is missing."
  (interactive)
  (let* ((root (tongs--root))
         (buffer (get-buffer-create "*tongs doctor*"))
         (program (executable-find tongs-program)))
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (erase-buffer)
        (special-mode)
        (setq default-directory root)
        (insert (format "Emacs %s, JSON %s\n" emacs-version
                        (if (json-available-p) "built in" "missing: Emacs needs libjansson"))
                (format "Program: %s\n" (or program (format "%s is not found; set `tongs-program'"
                                                            tongs-program)))
                (format "Root: %s\n" root))
        (dolist (pair tongs-keys)
          (insert (format "%s: %s\n" (car pair)
                          (cond ((getenv (car pair)) "in the environment of Emacs")
                                ((ignore-errors (auth-source-search :host (cdr pair) :max 1))
                                 (format "from auth-source, host %s" (cdr pair)))
                                (t "in neither; keys of tongs setup are used")))))
        (insert "\n")))
    (when program
      (make-process :name "tongs doctor" :buffer buffer :noquery t :connection-type 'pipe
                    :command (list program "doctor" "--root" (directory-file-name root))
                    :filter (lambda (_process text)
                              (when (buffer-live-p buffer)
                                (with-current-buffer buffer
                                  (let ((inhibit-read-only t))
                                    (save-excursion
                                      (goto-char (point-max))
                                      (insert (tongs-view-plain text)))))))
                    :sentinel #'ignore))
    (display-buffer buffer)
    buffer))

(provide 'tongs)
;;; tongs.el ends here
