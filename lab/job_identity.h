/* SPDX-License-Identifier: Apache-2.0
 *
 * job_identity.h - where the files of a job are, and which records belong to it.
 */
#ifndef LAB_JOB_IDENTITY_H
#define LAB_JOB_IDENTITY_H

#include "job.h"

/* "families/cdr-five-two.pde" -> "cdr-five-two" */
void job_family_name(const char *path, char name[RECORD_NAME]);
bool job_from_scratch(const experiment_arm *arm);

/* "reaction r=8.5"; nothing for a case of the family, whose numbers the settings hold. */
void job_choice_text(const experiment_choice *choice, char text[RECORD_CHOICE]);

/* results/FAMILY/DESCRIPTOR[-kROUNDS]-SEED with the given ending. */
void job_path(const job *job, const char *ending, char *path);

/* The map of a case: the same with ".CASE.map.json". */
void job_map_path(const job *job, const char *case_name, char *path);

/* What decides a job's outcome: a hash of the canonical family text, descriptor and rounds, and how many numbers the
 * network has (0 from scratch). */
typedef struct job_identity {
  char settings[RECORD_NAME];
  size_t parameters;
} job_identity;

ans_status job_identify(ans_context *context, const job *job, job_identity *identity);
ans_status job_identify_as(ans_context *context, const ans_problem *problem, const experiment_arm *arm,
                           job_identity *identity); /* with the family's problem at hand */

/* Why a record does not belong to the job ("other settings", ...), or NULL. Builds of one version may share records. */
const char *job_refuses(const job *job, const job_identity *identity, const record *record);

#endif
