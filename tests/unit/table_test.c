// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables and histograms against plain arrays; text for people. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "table.h"
#include "text.h"

static uint64_t random_state = 88172645463325252ull;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	return random_state ^= random_state << 17;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Every quantile is within 1/32 of the sorted array's, for values of all sizes; merged halves say the same as the whole. */
static void test_histogram(void **state)
{
	enum { N = 20000 };
	uint64_t *value = malloc(N * sizeof(*value)), sum = 0;
	struct histogram whole = { 0 }, half[2] = { { 0 }, { 0 } };

	for (unsigned int round = 0; round < 4; round++) {
		for (unsigned int i = 0; i < N; i++) {
			value[i] = round == 3 ? i % 40 : random_next() >> (random_next() % (round ? 60 : 64));
			sum += value[i];
			histogram_add(&whole, value[i]);
			histogram_add(&half[i & 1], value[i]);
		}
		qsort(value, N, sizeof(*value), compare);
		histogram_merge(&half[0], &half[1]);
		assert_int_equal(whole.count, N);
		assert_int_equal(whole.sum, sum);
		assert_int_equal(whole.max, value[N - 1]);
		assert_int_equal(half[0].sum, whole.sum);
		for (unsigned int i = 0; i <= 1000; i++) {
			const double q = i / 1000.0;
			const uint64_t got = histogram_quantile(&whole, q);
			uint64_t rank = (uint64_t)(q * N), want;

			if ((double)rank < q * N || !rank)
				rank++;
			want = value[rank - 1];
			assert_true((got > want ? got - want : want - got) <= want / 32);
			assert_int_equal(got, histogram_quantile(&half[0], q));
		}
		histogram_fini(&whole);
		histogram_fini(&half[0]);
		histogram_fini(&half[1]);
		memset(&whole, 0, sizeof(whole));
		memset(half, 0, sizeof(half));
		sum = 0;
	}
	assert_int_equal(histogram_quantile(&whole, 0.5), 0);
	histogram_add(&whole, UINT64_MAX);
	assert_int_equal(histogram_quantile(&whole, 0.5), UINT64_MAX);
	histogram_fini(&whole);
	free(value);
}

static const struct table_spec spec = {
	.key_bytes = 4, .label_bytes = 8, .columns = 3, .column = { TABLE_SUM, TABLE_MAX, TABLE_HISTOGRAM }, .rows_max = 100,
};

static void test_table(void **state)
{
	enum { KEYS = 150 };
	struct table *t = table_create(&spec), *other = table_create(&spec);
	uint64_t sum[KEYS] = { 0 }, max[KEYS] = { 0 }, beyond = 0;
	unsigned int count = 0;

	for (unsigned int i = 0; i < 10000; i++) {
		const uint32_t key = i < KEYS ? i : (uint32_t)(random_next() % KEYS);
		const uint64_t value = random_next() % 1000;
		struct table *into = i < 5000 ? t : other;
		struct table_row *row;

		/* The same hundred keys find room in both. */
		if (i == 5000)
			for (uint32_t k = 0; k < 100; k++)
				table_row(other, &k);
		row = table_row(into, &key);
		for (unsigned int c = 0; c < 3; c++)
			table_add(into, row, c, value);
		assert_int_equal(table_is_overflow(row), key >= 100);
		sum[key] += value;
		max[key] = value > max[key] ? value : max[key];
		beyond += key >= 100 ? value : 0;
	}
	assert_int_equal(table_merge(t, other), 0);
	table_destroy(other);
	assert_int_equal(table_rows(t), 100);
	for (uint32_t key = 0; key < 100; key++) {
		struct table_row *row = table_find(t, &key);

		assert_int_equal(table_value(row, 0), sum[key]);
		assert_int_equal(table_value(row, 1), max[key]);
		assert_int_equal(table_value(row, 2), sum[key]);
		assert_int_equal(table_histogram(row, 2)->sum, sum[key]);
	}
	assert_int_equal(table_value(table_overflow(t), 0), beyond);
	assert_true(table_refused(t) > 0);
	for (struct table_row *row = NULL; (row = table_next(t, row));) {
		uint64_t part[3];
		struct histogram *h[3];
		const uint32_t key = *(const uint32_t *)table_key(row);

		assert_false(table_is_overflow(row));
		count++;
		assert_false(table_row_take(t, row, part, h));
		assert_int_equal(part[0], sum[key]);
		assert_int_equal(h[2]->sum, sum[key]);
		histogram_fini(h[2]);
		free(h[2]);
		/* What was taken is not given again, but the sum stays. */
		for (unsigned int c = 0; c < 3; c++)
			table_add(t, row, c, 5);
		assert_true(table_row_take(t, row, part, h));
		assert_int_equal(part[0], 5);
		assert_int_equal(part[1], max[key] > 5 ? max[key] : 5);
		assert_int_equal(part[2], 5);
		assert_int_equal(h[2]->count, 1);
		histogram_fini(h[2]);
		free(h[2]);
		assert_int_equal(table_value(row, 2), sum[key] += 5);
	}
	assert_int_equal(count, 100);
	table_row_absorb(t, table_find(t, &(uint32_t){ 1 }), table_find(t, &(uint32_t){ 2 }));
	assert_null(table_find(t, &(uint32_t){ 2 }));
	assert_int_equal(table_value(table_find(t, &(uint32_t){ 1 }), 0), sum[1] + sum[2]);
	table_destroy(t);
}

static void test_text(void **state)
{
	const struct {
		const char *in, *out;
	} clean[] = {
		{ "plain", "plain" }, { "t\xc3\xbcr", "t\xc3\xbcr" }, { "\x1b[31m", "\\x1b[31m" }, { "a\nb\tc\x7f",
			"a\\x0ab\\x09c\\x7f" },
		{ "\xc2\x9b" "31m", "\\xc2\\x9b31m" }, { "\xe2\x80\xae", "\\xe2\\x80\\xae" }, { "\xff\xc0\x80", "\\xff\\xc0\\x80" },
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" }, { "\xf0\x9f\x90\xa7", "\xf0\x9f\x90\xa7" }, { "\xe2\x82",
			"\\xe2\\x82" }, { "\\x1b", "\\\\x1b" },
	};
	char out[64];

	for (size_t i = 0; i < sizeof(clean) / sizeof(clean[0]); i++)
		assert_string_equal(text_clean(out, sizeof(out), clean[i].in, strlen(clean[i].in)), clean[i].out);
	assert_string_equal(text_clean(out, 5, "\x1b\x1b", 2), "\\x1b");
	assert_string_equal(text_clean(out, 4, "\x1b\x1b", 2), "");
	assert_string_equal(text_clean(out, sizeof(out), "ab\0cd", 5), "ab");
	assert_string_equal(text_count(out, sizeof(out), 0), "0");
	assert_string_equal(text_count(out, sizeof(out), 999), "999");
	assert_string_equal(text_count(out, sizeof(out), 1234567), "1,234,567");
	assert_string_equal(text_count(out, sizeof(out), UINT64_MAX), "18,446,744,073,709,551,615");
	assert_string_equal(text_bytes(out, sizeof(out), 999), "999 B");
	assert_string_equal(text_bytes(out, sizeof(out), 1000), "1.00 kB");
	assert_string_equal(text_bytes(out, sizeof(out), 999999), "1.00 MB");
	assert_string_equal(text_bytes(out, sizeof(out), 41200000), "41.2 MB");
	assert_string_equal(text_ns(out, sizeof(out), 12), "12 ns");
	assert_string_equal(text_ns(out, sizeof(out), 1234), "1.23 us");
	assert_string_equal(text_ns(out, sizeof(out), 999600), "1.00 ms");
	assert_string_equal(text_ns(out, sizeof(out), 10003000000), "10.003 s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_histogram), cmocka_unit_test(test_table), cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
