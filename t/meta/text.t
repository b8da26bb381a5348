# SPDX-License-Identifier: Apache-2.0
# Text of any script, and bytes that are no text, in each field of the API (Vitrine::Texts).
use Vitrine::Texts;

Vitrine::Texts::api();
