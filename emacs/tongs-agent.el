;;; tongs-agent.el --- The process behind a conversation  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Starts `tongs acp' and exchanges JSON lines with it.  What the agent sends is
;; kept by the process filter and handled in slices by a timer, so that a long
;; answer never stands between a person and the keyboard.

;;; Code:

(require 'cl-lib)
(require 'subr-x)
(require 'auth-source)

(defgroup tongs nil
  "A coding agent that asks before it acts."
  :group 'tools
  :prefix "tongs-"
  :link '(url-link :tag "The protocol" "https://agentclientprotocol.com"))

(defcustom tongs-program "tongs"
  "The program that is started, a name in the variable `exec-path' or a path."
  :type 'string)

(defcustom tongs-model nil
  "The model, such as \"anthropic/NAME\"; nil means the one that was set up."
  :type '(choice (const :tag "As set up" nil) string))

(defcustom tongs-preset nil
  "The preset of permissions; nil means the configured one."
  :type '(choice (const :tag "As configured" nil)
                 (const "plan") (const "ask") (const "edits") (const "auto")))

(defcustom tongs-protocol nil
  "How the model makes calls: \"native\" or \"fenced\"; nil leaves that to the agent."
  :type '(choice (const :tag "Automatic" nil) (const "native") (const "fenced")))

(defcustom tongs-arguments nil
  "More options for the agent, as a list of strings.
Keys do not belong here: other users see the arguments of a process."
  :type '(repeat string))

(defcustom tongs-keys
  '(("ANTHROPIC_API_KEY" . "api.anthropic.com")
    ("OPENAI_API_KEY" . "api.openai.com")
    ("GEMINI_API_KEY" . "generativelanguage.googleapis.com")
    ("COMPATIBLE_API_KEY" . "compatible.tongs"))
  "Variables of the agent's environment, and the hosts of their keys.
Each key is looked up with `auth-source' when an agent starts, unless the
variable is set already.  It is put into the environment of the agent and
nowhere else."
  :type '(alist :key-type (string :tag "Variable") :value-type (string :tag "Host")))

(defcustom tongs-slice-seconds 0.005
  "How long Emacs handles what the agent sent before it looks at the keyboard."
  :type 'number)

(define-error 'tongs-error "Tongs")

(cl-defstruct (tongs-session (:constructor tongs-session--make) (:copier nil))
  "A conversation: its folder, its buffer and its agent."
  root buffer process id
  (last-request 0)
  (requests (make-hash-table :test #'eql))
  chunks has-line lines timer ended
  ;; Functions of the parts above this one.
  on-request on-notification on-exit
  ;; What the agent is doing, and what is to be done once it is ready.
  is-ready is-busy is-closing is-recovering has-new-tools waiting
  ;; What is shown.
  (calls (make-hash-table :test #'equal))
  (questions (make-hash-table :test #'eql))
  (outputs (make-hash-table :test #'equal))
  last-kind last-message title mode model usage)

(defun tongs-get (object &rest keys)
  "Return what is in OBJECT, an alist, under KEYS, one below the other."
  (dolist (key keys object)
    (setq object (and (consp object) (alist-get key object)))))

(defun tongs-agent--environment ()
  "Return the environment of an agent, with keys from `auth-source'."
  (append
   (delq nil
         (mapcar
          (lambda (pair)
            (unless (getenv (car pair))
              (let* ((found (car (ignore-errors
                                   (auth-source-search :host (cdr pair) :max 1 :require '(:secret)))))
                     (secret (plist-get found :secret))
                     (key (if (functionp secret) (funcall secret) secret)))
                (and (stringp key) (not (string-empty-p key))
                     (concat (car pair) "=" key)))))
          tongs-keys))
   process-environment))

(defun tongs-agent-command (root)
  "Return the words that start an agent for ROOT.
What a file or folder of the project sets for its buffers does not count:
it could loosen what the user has chosen."
  (let ((model (default-value 'tongs-model))
        (preset (default-value 'tongs-preset))
        (protocol (default-value 'tongs-protocol)))
    (append (list (default-value 'tongs-program) "acp" "--root" (directory-file-name root))
            (and model (list "--model" model))
            (and preset (list "--preset" preset))
            (and protocol (list "--protocol" protocol))
            (default-value 'tongs-arguments))))

(defun tongs-agent-refuse-remote (folder)
  "Signal an error if FOLDER is not on this machine."
  (when (file-remote-p folder)
    (user-error "Tongs works on this machine only, and %s is remote; run Emacs there, or use a local copy"
                folder)))

(defun tongs-agent-start (session)
  "Start the agent of SESSION."
  (let ((root (tongs-session-root session)))
    (tongs-agent-refuse-remote root)
    (unless (executable-find (default-value 'tongs-program))
      (user-error "There is no program %s; install Tongs, or set `tongs-program'" tongs-program))
    (when (tongs-session-ended session) (tongs-agent--finish session))
    (let* ((default-directory root)
           (process-environment (tongs-agent--environment))
           (errors (get-buffer-create (format " *tongs errors: %s*" root)))
           (process (make-process
                     :name "tongs" :command (tongs-agent-command root)
                     :connection-type 'pipe :coding 'utf-8-unix :noquery t :stderr errors
                     :filter (lambda (_process text) (tongs-agent--take session text))
                     :sentinel (lambda (process _event)
                                 (unless (process-live-p process)
                                   (tongs-agent--ended session process))))))
      (when-let ((piped (get-buffer-process errors)))
        (set-process-query-on-exit-flag piped nil)
        (set-process-sentinel piped #'ignore))
      (clrhash (tongs-session-requests session))
      (setf (tongs-session-process session) process
            (tongs-session-chunks session) nil
            (tongs-session-has-line session) nil
            (tongs-session-lines session) nil
            (tongs-session-is-closing session) nil
            (tongs-session-is-ready session) nil
            (tongs-session-is-busy session) nil)
      session)))

(defun tongs-agent-live-p (session)
  "Return non-nil if the agent of SESSION is running."
  (process-live-p (tongs-session-process session)))

(defun tongs-agent-stop (session)
  "End the agent of SESSION; questions that are open keep waiting."
  (setf (tongs-session-is-closing session) t)
  (when (tongs-agent-live-p session)
    (process-send-eof (tongs-session-process session))))

(defun tongs-agent-errors (session)
  "Return what the agent of SESSION has written on its standard error."
  (let ((buffer (get-buffer (format " *tongs errors: %s*" (tongs-session-root session)))))
    (if buffer (with-current-buffer buffer (buffer-string)) "")))

(defun tongs-agent--ended (session process)
  "Note that PROCESS of SESSION has ended; what it has sent is handled first."
  (when (eq process (tongs-session-process session))
    (setf (tongs-session-ended session) process)
    (tongs-agent--schedule session 0)))

(defconst tongs-agent--end
  '((code . -32000) (message . "The agent has ended") (has-ended . t)
    (data . ((code . "agent_ended") (recovery . ("M-x tongs-recover starts it again")))))
  "The error of every request whose agent is gone.")

(defun tongs-agent--finish (session)
  "Tell those who wait for the agent of SESSION that it has ended."
  (let ((process (tongs-session-ended session))
        (waiting (hash-table-values (tongs-session-requests session))))
    (clrhash (tongs-session-requests session))
    (setf (tongs-session-ended session) nil
          ;; What is left is a line that its end will never follow.
          (tongs-session-chunks session) nil
          (tongs-session-is-ready session) nil
          (tongs-session-is-busy session) nil)
    (dolist (request waiting)
      (funcall (cdr request) tongs-agent--end))
    (funcall (tongs-session-on-exit session) session process)))

;; Receiving.

(defun tongs-agent--take (session text)
  "Keep TEXT that the agent of SESSION has sent, to be handled soon."
  (push text (tongs-session-chunks session))
  (when (string-search "\n" text) (setf (tongs-session-has-line session) t))
  (tongs-agent--schedule session 0))

(defun tongs-agent--schedule (session seconds)
  "Handle what the agent of SESSION has sent in SECONDS."
  (unless (tongs-session-timer session)
    (setf (tongs-session-timer session)
          (run-at-time seconds nil #'tongs-agent--work session))))

(defun tongs-agent--split (session)
  "Split what the agent of SESSION has sent; return nil if no line is complete."
  ;; The last line may be unfinished; it is joined once its end is there.
  (when (tongs-session-has-line session)
    (let* ((parts (split-string (apply #'concat (nreverse (tongs-session-chunks session))) "\n"))
           (rest (car (last parts))))
      (setf (tongs-session-has-line session) nil
            (tongs-session-chunks session) (and (not (string-empty-p rest)) (list rest))
            (tongs-session-lines session)
            (nconc (tongs-session-lines session) (butlast parts))))))

(defconst tongs-agent--long-line 32768
  "A line of so many characters is handled in a slice of its own.")

(defconst tongs-agent--slice-garbage 16000000
  "So many bytes of garbage are left by a slice at most before they are collected.")

(defun tongs-agent--work (session)
  "Handle a slice of what the agent of SESSION has sent."
  (when (tongs-session-timer session)
    (cancel-timer (tongs-session-timer session))
    (setf (tongs-session-timer session) nil))
  (let* ((until (+ (float-time) tongs-slice-seconds))
         ;; A collection of garbage takes longer than a slice should: it comes between two.
         (gc-cons-threshold (max gc-cons-threshold tongs-agent--slice-garbage))
         (goes-on (or (not (tongs-agent--split session))
                      ;; Splitting much text is a slice of its own.
                      (< (float-time) until))))
    (while (and goes-on (tongs-session-lines session))
      (tongs-agent--receive session (pop (tongs-session-lines session)))
      (setq goes-on (and (< (float-time) until)
                         (< (length (car (tongs-session-lines session))) tongs-agent--long-line)
                         (not (input-pending-p))))))
  (cond ((tongs-session-lines session) (tongs-agent--schedule session 0.001))
        ((tongs-session-ended session) (tongs-agent--finish session))))

(defun tongs-agent-parse (line)
  "Return the JSON in LINE, with objects as alists and arrays as lists."
  (json-parse-string line :object-type 'alist :array-type 'list
                     :null-object nil :false-object nil))

(defvar tongs-agent-line nil
  "The line that is being handled.")

(defun tongs-agent--receive (session line)
  "Handle one LINE that the agent of SESSION has sent."
  (condition-case problem
      (let* ((tongs-agent-line line)
             (message (tongs-agent-parse line))
             (id (alist-get 'id message))
             (method (alist-get 'method message))
             (params (alist-get 'params message)))
        (cond ((and method id) (tongs-agent--serve session id method params))
              (method (funcall (tongs-session-on-notification session) session method params))
              (id (tongs-agent--answered session id message))))
    (error (message "Tongs: %s" (error-message-string problem)))))

(defun tongs-agent--answered (session id message)
  "Hand MESSAGE to what waits in SESSION for the answer to request ID."
  (when-let ((request (gethash id (tongs-session-requests session))))
    (remhash id (tongs-session-requests session))
    (if-let ((problem (alist-get 'error message)))
        (funcall (cdr request) problem)
      (funcall (car request) (alist-get 'result message)))))

(defun tongs-agent--serve (session id method params)
  "Answer request ID of the agent of SESSION for METHOD with PARAMS."
  (condition-case problem
      (funcall (tongs-session-on-request session) session id method params)
    (error (tongs-agent-reject session id (error-message-string problem)))))

;; Sending.

(defun tongs-agent--send (session message)
  "Send MESSAGE, an alist, to the agent of SESSION."
  (unless (tongs-agent-live-p session)
    (user-error "The agent is not running; M-x tongs-recover starts it again"))
  (process-send-string (tongs-session-process session)
                       (concat (json-serialize `((jsonrpc . "2.0") ,@message)) "\n")))

(defun tongs-agent-notify (session method params)
  "Tell the agent of SESSION about METHOD with PARAMS."
  (tongs-agent--send session `((method . ,method) (params . ,params))))

(defun tongs-agent-request (session method params then otherwise)
  "Ask the agent of SESSION for METHOD with PARAMS.
Call THEN with the result, or OTHERWISE with the error, an alist."
  (let ((id (cl-incf (tongs-session-last-request session))))
    (puthash id (cons then otherwise) (tongs-session-requests session))
    (tongs-agent--send session `((id . ,id) (method . ,method) (params . ,params)))
    id))

(defun tongs-agent-respond (session id result)
  "Answer request ID of the agent of SESSION with RESULT."
  (tongs-agent--send session `((id . ,id) (result . ,result))))

(defun tongs-agent-reject (session id why &optional code)
  "Answer request ID of the agent of SESSION with an error, WHY in words.
CODE is its number, -32603 if nil."
  (tongs-agent--send session `((id . ,id) (error . ((code . ,(or code -32603)) (message . ,why))))))

(defun tongs-agent-wait (session method params)
  "Ask the agent of SESSION for METHOD with PARAMS, and wait for the result.
An error of the agent is signalled as `tongs-error'."
  (let* ((answer nil)
         (id (tongs-agent-request session method params
                                  (lambda (result) (setq answer (cons t result)))
                                  (lambda (problem) (setq answer (cons nil problem))))))
    (tongs-agent-await session id (lambda () answer) #'ignore)
    (if (car answer)
        (cdr answer)
      (tongs-agent-signal (cdr answer)))))

(defun tongs-agent-await (session id is-answered meanwhile)
  "Wait until IS-ANSWERED is met for request ID of SESSION; call MEANWHILE often.
If the wait is quit, the agent is told that it is over."
  (unwind-protect
      (while (not (funcall is-answered))
        (accept-process-output (tongs-session-process session) 0.05)
        (unless (tongs-agent-live-p session) (accept-process-output nil 0.05))
        (funcall meanwhile))
    (remhash id (tongs-session-requests session))
    (when (and (not (funcall is-answered)) (tongs-agent-live-p session))
      (tongs-agent-notify session "$/cancel_request" `((requestId . ,id))))))

(defun tongs-agent-signal (problem)
  "Signal PROBLEM, an error of the agent, as `tongs-error'."
  (signal 'tongs-error
          (list (tongs-get problem 'message)
                (or (tongs-get problem 'data 'code) (tongs-get problem 'code))
                (or (tongs-get problem 'data 'recovery) (tongs-get problem 'recovery)))))

(provide 'tongs-agent)
;;; tongs-agent.el ends here
