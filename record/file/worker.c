// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * worker: a thread for work that takes longer than the kernel's buffers can wait.
 */
#include "record/file/worker.h"

#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>

static void *work(void *arg)
{
	struct worker *w = arg;

	/* The recorder's priority may be unsuitable for long jobs. */
	sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){ 0 });
	setpriority(PRIO_PROCESS, 0, 0);
	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->job && !w->quit)
			pthread_cond_wait(&w->changed, &w->lock);
		if (!w->job)
			break;
		pthread_mutex_unlock(&w->lock);
		w->job(w->arg);
		pthread_mutex_lock(&w->lock);
		w->job = NULL;
		pthread_cond_broadcast(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

bool worker_start(struct worker *w)
{
	sigset_t all, was;

	*w = (struct worker){ .job = NULL };
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	w->runs = pthread_create(&w->thread, NULL, work, w) == 0;
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	return w->runs;
}

void worker_do(struct worker *w, void (*job)(void *arg), void *arg)
{
	if (!w->runs) {
		job(arg);
		return;
	}
	pthread_mutex_lock(&w->lock);
	w->arg = arg;
	w->job = job;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

bool worker_busy(struct worker *w)
{
	bool busy;

	pthread_mutex_lock(&w->lock);
	busy = w->job;
	pthread_mutex_unlock(&w->lock);
	return busy;
}

void worker_wait(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	while (w->job)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

bool worker_is_self(const struct worker *w)
{
	return w->runs && pthread_equal(w->thread, pthread_self());
}

void worker_stop(struct worker *w)
{
	worker_wait(w);
	pthread_mutex_lock(&w->lock);
	w->quit = true;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	if (w->runs)
		pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
}
