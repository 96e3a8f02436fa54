/* Which instruction set the kernel loops use. */
#ifndef SVMBENCH_ISA_H
#define SVMBENCH_ISA_H

/* The best level of this processor, or the one of the given name unless that is empty; -1: cannot run here. */
int svmbench_isa_level(const char *forced);
const char *svmbench_isa_name(int level);

#endif
