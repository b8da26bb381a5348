# SPDX-License-Identifier: Apache-2.0
# Text of any script, and bytes that are no text, in each field of each form (Vitrine::Texts).
use Vitrine::Texts;

Vitrine::Texts::forms();
