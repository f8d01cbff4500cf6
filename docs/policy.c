/* A policy of revopt in C (docs/exec.md): cc -O2 -o policy policy.c -lm
 *
 *   exec:./policy             ServerFilling-SRPT (Grosof et al. 2022), which suspends jobs
 *   exec:order=sjf:./policy   shortest job first, as revopt's own sjf
 *
 * It reads the messages as revopt writes them: without blanks, fields of jobs in the order of the reply to hello. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
	long id;
	int width, runs, chosen;
	double estimate, since, given, lost, left; /* s; left: by the estimate, times the width, or the estimate */
};

static struct job *jobs; /* all that are present, in order of arrival */
static int count, room;
static double now, cost;

static struct job *find(long id)
{
	int low = 0, high = count;
	while (low < high) {
		int mid = (low + high) / 2;
		if (jobs[mid].id < id) low = mid + 1;
		else high = mid;
	}
	return &jobs[low];
}

static double served(const struct job *j) { return j->runs ? j->given + (now - j->since) : j->given; }

/* list calls a function for each id of a list of the message. */
static void list(const char *line, const char *name, void (*act)(struct job *))
{
	const char *at = strstr(line, name);
	for (at = at ? at + strlen(name) : NULL; at && *at != ']';) {
		char *end;
		act(find(strtol(at, &end, 10)));
		at = end + (*end == ',');
	}
}

static void gone(struct job *j)
{
	memmove(j, j + 1, (size_t)(jobs + --count - j) * sizeof *j);
}

static void stopped(struct job *j) /* by an outage: its work is lost */
{
	j->given = j->lost = served(j);
	j->runs = 0;
}

static void arrive(const char *line)
{
	for (const char *at = line; (at = strstr(at, "{\"id\":")); at++) {
		struct job j = {0};
		sscanf(at, "{\"id\":%ld,\"width\":%d,\"estimate\":%lf", &j.id, &j.width, &j.estimate);
		if (count == room) jobs = realloc(jobs, (size_t)(room = 2 * room + 64) * sizeof *jobs);
		jobs[count++] = j;
	}
}

static int by_left(const void *a, const void *b)
{
	const struct job *x = *(struct job **)a, *y = *(struct job **)b;
	return x->left != y->left ? (x->left > y->left) - (x->left < y->left) : (x->id > y->id) - (x->id < y->id);
}

static int by_width(const void *a, const void *b)
{
	const struct job *x = *(struct job **)a, *y = *(struct job **)b;
	return x->width != y->width ? y->width - x->width : by_left(a, b);
}

/* choose marks the jobs that are to run, on the free units and those of jobs that may be suspended. */
static void choose(int sjf, int units)
{
	static struct job **order;
	static int size;
	int n = 0, first = 0, sum = 0;
	if (size < room) order = realloc(order, (size_t)(size = room) * sizeof *order);
	for (int i = 0; i < count; i++) {
		struct job *j = &jobs[i];
		j->chosen = sjf && j->runs;
		j->left = sjf ? j->estimate : j->width * fmax(j->estimate + j->lost - served(j), 0);
		if (!j->chosen) order[n++] = j;
		if (!sjf && j->runs) units += j->width;
	}
	qsort(order, (size_t)n, sizeof *order, by_left);
	for (; !sjf && first < n && sum < units; first++) sum += order[first]->width;
	if (!sjf) qsort(order, (size_t)(n = first), sizeof *order, by_width);
	for (int i = 0; i < n; i++) {
		if (order[i]->width > units && sjf) break;
		if (order[i]->width > units) continue;
		order[i]->chosen = 1;
		units -= order[i]->width;
	}
}

int main(void)
{
	char *line = NULL, *at;
	size_t size = 0;
	int sjf = 0;
	while (getline(&line, &size, stdin) > 0 && !strstr(line, "{\"bye\"")) {
		if (strstr(line, "{\"hello\"")) {
			sjf = strstr(line, "\"order\":\"sjf\"") != NULL;
			if ((at = strstr(line, "\"preempt_cost\":"))) cost = strtod(at + 15, NULL);
			puts("{\"hello\":2,\"fields\":[\"width\",\"estimate\"],\"options\":[\"order\"]}");
			fflush(stdout);
			continue;
		}
		now = strtod(line + strlen("{\"now\":"), NULL);
		list(line, "\"finish\":[", gone);
		list(line, "\"stop\":[", stopped);
		arrive(line);
		list(line, "\"leave\":[", gone);
		choose(sjf, atoi(strstr(line, "\"free\":") + 7));
		const char *comma = "";
		fputs("{\"suspend\":[", stdout);
		for (struct job *j = jobs; j < jobs + count; j++) {
			if (!j->runs || j->chosen) continue;
			printf("%s%ld", comma, j->id);
			comma = ",";
			j->given = served(j);
			j->lost += cost;
			j->runs = 0;
		}
		comma = "";
		fputs("],\"start\":[", stdout);
		for (struct job *j = jobs; j < jobs + count; j++) {
			if (j->runs || !j->chosen) continue;
			printf("%s%ld", comma, j->id);
			comma = ",";
			j->since = now;
			j->runs = 1;
		}
		puts("]}");
		fflush(stdout);
	}
	return 0;
}
