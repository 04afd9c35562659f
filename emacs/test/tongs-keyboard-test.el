;;; tongs-keyboard-test.el --- How long a person has to wait  -*- lexical-binding: t; -*-

;; Copyright (c) 2026 The Tongs authors
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; While Emacs handles what the agent has sent, a person at the keyboard waits.
;; That is a slice of work and the collection of garbage after it.  Both are
;; measured in time of the processor, so that what else the machine does is not
;; measured.  A collection reads all memory of Emacs, which takes longer beside
;; programs that use theirs, so the quickest of several counts.

;;; Code:

(require 'tongs-test-help)

(defconst tongs-test-blocking-seconds 0.05
  "So much work in a row is noticed by a person who types.")

(defun tongs-test-seconds (act)
  "Call ACT; return the time of the processor that it took."
  (let ((before (get-internal-run-time)))
    (funcall act)
    (float-time (time-subtract (get-internal-run-time) before))))

(defun tongs-test-collection ()
  "Return how long it takes Emacs to collect garbage now, undisturbed."
  (cl-loop repeat 5 minimize (tongs-test-seconds #'garbage-collect)))

(defun tongs-test-longest-work (act)
  "Return how long Emacs works in a row, at most, for the agent during ACT.
Garbage may be collected right after that, once."
  (let* ((longest 0.0)
         (measure (lambda (original &rest arguments)
                    (let ((gc-cons-threshold most-positive-fixnum))
                      (setq longest (max longest (tongs-test-seconds
                                                  (lambda () (apply original arguments))))))))
         (entries '(tongs-agent--work tongs-agent--take tongs-agent--ended)))
    (unwind-protect
        (progn
          (dolist (entry entries) (advice-add entry :around measure))
          (funcall act))
      (dolist (entry entries) (advice-remove entry measure)))
    (let ((collection (tongs-test-collection)))
      (princ (format "Longest work in a row: %.1f ms, and %.1f ms for a collection\n"
                     (* 1000 longest) (* 1000 collection)))
      (+ longest collection))))

(defun tongs-test-blocks (act)
  "Return non-nil if Emacs works too long in a row each time that ACT is called.
What happens once is a processor that others have slowed down."
  (cl-loop repeat 4 always (> (tongs-test-longest-work act) tongs-test-blocking-seconds)))

(ert-deftest tongs-test-long-streams-leave-the-keyboard-alone ()
  (tongs-test-with
      (list (tongs-test-says (mapconcat (lambda (n) (format "line %d of a long answer" n))
                                        (number-sequence 1 10000) "\n")
                             '("c1" "run_shell" ((command . "seq -f 'line %g of a long output' 10000"))))
            (tongs-test-says "Done."))
      nil
    (setq tongs-preset "auto")
    (let ((session (tongs-test-open)))
      (should-not (tongs-test-blocks (lambda () (tongs-test-run session "go" "Done."))))
      (should (string-search "line 10000 of a long answer" (tongs-test-text session)))
      (with-current-buffer (tongs-test-output session)
        (should (string-search "line 10000 of a long output" (buffer-string)))))))

(defun tongs-test-flood (count)
  "Run an agent that says COUNT lines at once and ends; return its session at the end."
  (when (get-buffer "*tongs flood*") (kill-buffer "*tongs flood*"))
  (let* ((buffer (get-buffer-create "*tongs flood*"))
         (session (tongs-session--make
                   :root tongs-test-root :buffer buffer
                   :on-request #'tongs--on-request :on-notification #'tongs--on-notification
                   :on-exit #'tongs--on-exit))
         (said (expand-file-name "said" tongs-test-top))
         (tongs-program (expand-file-name "flood" tongs-test-top)))
    (with-temp-file said
      (dotimes (n count)
        (let* ((content `((type . "text") (text . ,(format "line %d\n" n))))
               (update `((sessionUpdate . "agent_message_chunk") (messageId . "m") (content . ,content))))
          (insert (json-serialize `((jsonrpc . "2.0") (method . "session/update")
                                    (params . ((sessionId . "s") (update . ,update)))))
                  "\n"))))
    (with-temp-file tongs-program (insert "#!/bin/sh\ncat '" said "'\n"))
    (set-file-modes tongs-program #o700)
    (with-current-buffer buffer (tongs-mode) (tongs-view-set-up session))
    (tongs-agent-start session)
    (tongs-test-shown session "The agent has ended")
    session))

(ert-deftest tongs-test-flood-before-the-end-leaves-the-keyboard-alone ()
  (tongs-test-with nil nil
    (let (session)
      (should-not (tongs-test-blocks (lambda () (setq session (tongs-test-flood 10000)))))
      (should (string-match-p "line 9998\nline 9999\n" (tongs-test-text session))))))

(ert-deftest tongs-test-garbage-is-collected-between-slices ()
  (let* ((collections nil)
         (litter (lambda (&rest _)
                   (let ((before gcs-done))
                     (dotimes (_ 20) (make-list 20000 nil))
                     (push (- gcs-done before) collections))))
         (session (tongs-session--make :on-notification litter)))
    ;; Emacs would collect it several times, as it does here.
    (funcall litter)
    (tongs-agent--take session "{\"method\":\"one\"}\n")
    (tongs-agent--work session)
    (should (> (cadr collections) 1))
    (should (= 0 (car collections)))))

(defun tongs-test-work-hard (&rest _)
  "Work a little longer than is not noticed."
  (let ((until (+ (float-time (get-internal-run-time)) (* 1.2 tongs-test-blocking-seconds))))
    (while (< (float-time (get-internal-run-time)) until))))

(ert-deftest tongs-test-work-that-blocks-is-noticed ()
  (tongs-test-with nil nil
    (unwind-protect
        (progn
          (advice-add 'tongs-view-say :before #'tongs-test-work-hard)
          (should (tongs-test-blocks (lambda () (tongs-test-flood 1)))))
      (advice-remove 'tongs-view-say #'tongs-test-work-hard))))

(provide 'tongs-keyboard-test)
;;; tongs-keyboard-test.el ends here
